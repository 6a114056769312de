"""A tool that has moved on: its old name, its old argument, and an old tool that is not published.

    python -m examples.legacy_tool

Models and stored histories go on using what they learnt. An alias is the old name of a tool, one
hop; `normalize_arguments` reads the old form of its arguments, purely, so that a replay of the raw
string gives the same; `advertised=False` keeps a tool callable by its exact name, and publishes it
nowhere.
"""

from __future__ import annotations

from typing import Any

import anyio

from codemode import ToolRuntime, tool

FILES = {"a.txt": "alpha", "b.txt": "beta"}


def file_path_is_path(arguments: dict[str, Any]) -> dict[str, Any]:
    """`file_path` was the name of `path` once."""
    if "file_path" in arguments and "path" not in arguments:
        arguments = {**arguments, "path": arguments["file_path"]}
        del arguments["file_path"]
    return arguments


@tool(effects={"read"}, aliases=["cat"], normalize_arguments=file_path_is_path)
async def read_file(path: str) -> str:
    """Read a file.

    Args:
        path: Its name.
    """
    return FILES[path]


@tool(effects={"read"}, advertised=False)
async def list_files_v1() -> list[str]:
    """List the files, the old way."""
    return sorted(FILES)


PROGRAM = """
print("published:", [hit["name"] for hit in catalog.search("read list file")])
print(tools["list_files_v1"]())
print(tools["cat"](file_path="b.txt"))
"""


async def main() -> None:
    """What a model with an old history does, natively and in a program."""
    async with ToolRuntime([read_file, list_files_v1], mode="both") as runtime:
        print("on the wire:", [entry["function"]["name"] for entry in runtime.wire_tools()])
        old = await runtime.execute("cat", {"file_path": "a.txt"})
        print(
            f"cat(file_path='a.txt') -> {old.text}, as {old.tool_name} {dict(old.arguments or {})}"
        )
        print((await runtime.run_code(PROGRAM)).text)


if __name__ == "__main__":
    anyio.run(main)
