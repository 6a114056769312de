"""A pre-execute policy that answers each call with one of its five words.

    python -m examples.policy

`Allow` lets the call pass, `Deny` refuses it, `Ask` sends it to a person, `Defer` puts it aside for
later, `Stop` refuses it and ends the program and the turn. A policy never changes arguments: they
are in the log already.
"""

from __future__ import annotations

import anyio

from codemode import ToolRuntime, tool
from codemode.runtime.execution import Execution
from codemode.runtime.policy import Allow, Ask, Defer, Deny, PreDecision, Stop


@tool(effects={"write"})
async def pay(account: str, euros: int) -> str:
    """Pay money to an account.

    Args:
        account: Who receives it.
        euros: Whole euros.
    """
    return f"paid {euros} EUR to {account}"


def spending(execution: Execution) -> PreDecision | None:
    """The house rules on payments; None is no opinion."""
    if execution.name != "pay":
        return None
    match execution.arguments:
        case {"account": "unknown"}:
            return Deny("the account is not on the list", rule="known accounts")
        case {"euros": int(euros)} if euros > 1_000:
            return Stop("a payment over 1000 EUR ends this turn", rule="ceiling")
        case {"euros": int(euros)} if euros > 500:
            return Ask("more than 500 EUR", rule="two pairs of eyes")
        case {"account": "payroll"}:
            return Defer("payroll is paid on Fridays", rule="payroll")
        case _:
            return Allow(rule="small payments")


PROGRAM = """
for account, euros in [("ada", 10), ("unknown", 10), ("payroll", 300), ("ada", 600), ("ada", 5000)]:
    try:
        print(tools.pay(account=account, euros=euros))
    except ToolCallError as error:
        print(error.code, "-", error.message.partition(" (handle")[0])
print("not reached: the last payment stopped the program")
"""


async def main() -> None:
    """Run the program; nobody is there to be asked, so the ask is a refusal."""
    async with ToolRuntime([pay], mode="code", policies=[spending]) as runtime:
        result = await runtime.run_code(PROGRAM)
        print(result.text)
        print(f"\nthe turn stops: {result.stops_turn}")


if __name__ == "__main__":
    anyio.run(main)
