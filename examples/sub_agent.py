"""A sub-agent's scope: fewer tools, one tool shadowed, a guard of its own.

    python -m examples.sub_agent

A scope sees what its ancestors registered, minus its restrictions, plus its own registrations,
which shadow inherited ones of the same name. Hooks on a scope see its calls and those of its
descendants only. Restriction is visibility, not authority: what must not happen is for guards and
permissions.
"""

from __future__ import annotations

import anyio

from codemode import ToolRuntime, tool
from codemode.runtime.execution import Execution

NOTES = {"plan": "ship on Monday", "salaries": "private"}


@tool(effects={"read"})
async def read_note(name: str) -> str:
    """Read a note.

    Args:
        name: Its name.
    """
    return NOTES[name]


@tool(effects={"write"})
async def delete_note(name: str) -> str:
    """Delete a note.

    Args:
        name: Its name.
    """
    return f"deleted {name}"


@tool(effects={"read"})
async def search(query: str) -> list[str]:
    """Search the web.

    Args:
        query: What to look for.
    """
    return [f"web page about {query}"]


@tool(name="search", effects={"read"})
async def search_notes(query: str) -> list[str]:
    """Search the notes, and nothing else.

    Args:
        query: What to look for.
    """
    return [name for name, text in NOTES.items() if query in text]


def no_salaries(execution: Execution) -> str | None:
    """The sub-agent's own guard."""
    return "salaries are not for sub-agents" if "salaries" in execution.arguments.values() else None


PROGRAM = """
print("sees", sorted(name for name in dir(tools) if hasattr(tools, name) and name[0] != "_"))
print(tools.search(query="Monday"))
try:
    print(tools.read_note(name="salaries"))
except ToolCallError as error:
    print(error.code, "-", error.message)
"""


async def main() -> None:
    """The same program in the parent's scope and in the sub-agent's."""
    async with ToolRuntime([read_note, delete_note, search], mode="code") as runtime:
        helper = runtime.scope("helper")
        helper.restrict(deny=["delete_note"])
        helper.register(search_notes)
        helper.add("guard", no_salaries)
        for name, scope in (("parent", None), ("helper", helper)):
            print(f"{name}:")
            print((await runtime.run_code(PROGRAM, scope=scope)).text)


if __name__ == "__main__":
    anyio.run(main)
