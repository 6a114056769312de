"""One agent, one task, three modes: `python -m examples.agent_modes`.

The same scope is switched between native, code and both; a scripted model does in each mode what
models do there, and the table says how many steps it took and how many bytes were sent to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import anyio

from codemode import ToolRuntime
from codemode.runtime.audit import verify
from codemode.runtime.execution import Mode
from codemode.runtime.jsontext import compact
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.loop import AssistantMessage, Message, ScriptedModel, ToolMessage, call
from codemode.runtime.loop.messages import message_as_json
from codemode.runtime.loop.model import Turnout
from codemode.sandbox.values import Json, snapshot
from codemode.sdkgen import ToolSpec
from examples.agent_modes.tools import TOOLS

TASK = "Send each customer one invoice for all of today's orders."

PROGRAM = """
totals = {}
for order in tools.list_orders():
    price = tools.price_of(item=order.item)
    totals[order.customer] = totals.get(order.customer, 0) + price * order.quantity
for customer, cents in sorted(totals.items()):
    print(tools.send_invoice(customer=customer, cents=cents))
"""


def one_by_one() -> list[Turnout]:
    """What a model does with native calls: look, look up, add up by itself, act."""
    invoices = (("Ada", 480), ("Ben", 825), ("Cleo", 1080))
    return [
        AssistantMessage.of("I need the orders.", call("list_orders")),
        AssistantMessage.of(
            "Now the prices.",
            *(call("price_of", item=item) for item in ("apple", "pear", "quince")),
        ),
        AssistantMessage.of(
            "Now the invoices.",
            *(call("send_invoice", customer=customer, cents=cents) for customer, cents in invoices),
        ),
        last_words,
    ]


def as_a_program() -> list[Turnout]:
    """What a model does where it may write a program."""
    return [AssistantMessage.of("", call("run_code", code=PROGRAM)), last_words]


def look_then_program() -> list[Turnout]:
    """What a model may do where it has both: one call by hand, the rest in a program."""
    return [
        AssistantMessage.of("One price first.", call("price_of", item="apple")),
        *as_a_program(),
    ]


def last_words(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> AssistantMessage:
    """The answer, from what the model has read."""
    sent = [m for m in messages if isinstance(m, ToolMessage) and "invoiced" in m.text]
    lines = [line for message in sent for line in message.text.splitlines()]
    return AssistantMessage.of("Done: " + "; ".join(lines))


SCRIPTS: dict[Mode, list[Turnout]] = {
    "native": one_by_one(),
    "code": as_a_program(),
    "both": look_then_program(),
}


def bytes_sent(model: ScriptedModel) -> int:
    """What all requests of a model weigh, as plain JSON."""
    return sum(
        len(compact(message_as_json(message)).encode())
        for messages, _ in model.requests
        for message in messages
    ) + sum(len(compact(_wire(tool)).encode()) for _, tools in model.requests for tool in tools)


def _wire(tool: ToolSpec) -> dict[str, Json]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": snapshot(dict(tool.parameters)),
    }


async def main() -> None:
    """Run the task once in each mode."""
    store = MemoryStore()
    async with ToolRuntime(TOOLS, log=store) as runtime:
        scope = runtime.scope("agent")
        print(f"{'mode':8}{'steps':>6}{'calls':>7}{'bytes sent':>12}  answer")
        for mode, script in SCRIPTS.items():
            restore = scope.present_as(mode)
            model = ScriptedModel(script)
            async with runtime.agent(model, scope=scope, instructions="You run a shop.") as agent:
                turn = await agent.run(TASK)
            calls = len(turn.results)
            print(f"{mode:8}{turn.steps:>6}{calls:>7}{bytes_sent(model):>12,}  {turn.text}")
            restore()
    print(f"log: {'ok' if verify(store).ok else 'broken'}, {len(store.sessions())} sessions")


if __name__ == "__main__":
    anyio.run(main)
