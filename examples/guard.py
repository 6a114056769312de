"""A guard: a synchronous denial that nothing later can undo, whatever the policies say.

    python -m examples.guard

Policies weigh, guards forbid. This one keeps every call inside the tenant of the session, also when
a policy has granted the call.
"""

from __future__ import annotations

import anyio

from codemode import ToolRuntime, tool
from codemode.runtime.execution import Execution
from codemode.runtime.policy import Allow, Guard


@tool(effects={"read"})
async def customers(tenant: str) -> list[str]:
    """List the customers of a tenant.

    Args:
        tenant: The tenant's short name.
    """
    return [f"{tenant}-customer-{n}" for n in (1, 2)]


def only_tenant(tenant: str) -> Guard:
    """A guard that denies calls about any other tenant."""

    def own_tenant(execution: Execution) -> str | None:
        asked = execution.arguments.get("tenant", tenant)
        return None if asked == tenant else f"this session belongs to {tenant}, not to {asked}"

    return own_tenant


def grant_everything(execution: Execution) -> Allow:
    """A careless policy; the guard holds all the same."""
    return Allow("grant", is_grant=True)


PROGRAM = """
for tenant in ["acme", "globex"]:
    try:
        print(tools.customers(tenant=tenant))
    except ToolCallError as error:
        print(error.code, "-", error.message)
"""


async def main() -> None:
    """Ask for the session's own tenant, and for another."""
    async with ToolRuntime(
        [customers], mode="code", policies=[grant_everything], guards=[only_tenant("acme")]
    ) as runtime:
        print((await runtime.run_code(PROGRAM)).text)
        denied = await runtime.execute("customers", {"tenant": "globex"})
        print(f"decided by the {denied.decision.layer} {denied.decision.rule!r}")


if __name__ == "__main__":
    anyio.run(main)
