"""What the model sees of `run_code`: its description, its parameters, and the form of its value.

Source: spec CODE_MODE 2.1 to 2.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from codemode.runtime.code_mode.text import success_text
from codemode.runtime.definition import RUN_CODE, Arguments, Execute, Output, Tool
from codemode.sandbox.program import LogEntry, Outcome
from codemode.sandbox.values import Json

_PARAMETERS: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "code": {"type": "string", "description": "One Python program"},
        "description": {
            "type": "string",
            "description": "A short label for people: what the program is for",
        },
    },
    "required": ["code"],
    "additionalProperties": False,
}

_VALUE: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "logs": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "stream": {"enum": ["stdout", "stderr"]},
                    "text": {"type": "string"},
                },
                "required": ["stream", "text"],
            },
        },
        "result": {},
    },
    "required": ["logs"],
    "additionalProperties": False,
}

_DESCRIPTION: Final = (
    "Run one Python program in a sandbox that can reach nothing but the tools of the SDK. Only what"
    " it prints, and the value of its last expression or top-level return, comes back."
)


def run_code_tool(execute: Execute) -> Tool:
    """The tool `run_code`, whose body is `execute`."""
    return Tool.raw(
        RUN_CODE,
        _DESCRIPTION,
        _PARAMETERS,
        execute,
        output=Output(schema=_VALUE, render=_render),
        present_call=_card,
    )


def run_code_value(outcome: Outcome) -> Json:
    """The value of a run that succeeded."""
    value: dict[str, Json] = {
        "logs": [{"stream": entry.stream, "text": entry.text} for entry in outcome.logs]
    }
    if outcome.has_result:
        value["result"] = outcome.result
    return value


def _card(arguments: Arguments) -> dict[str, Json]:
    """The program under its label; its calls are shown as a tree below it."""
    title = arguments.get("description") or "Run a program"
    return {"card": "generic", "title": title, "input": arguments["code"]}


def _render(_: Arguments, value: Json) -> str:
    """What the model reads of a success (CODE_MODE 2.3)."""
    run: Any = value
    logs = [LogEntry(stream=entry["stream"], text=entry["text"]) for entry in run["logs"]]
    return success_text(logs, has_result="result" in run, result=run.get("result"))
