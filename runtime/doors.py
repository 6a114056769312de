"""The three doors of a value: lossless snapshot, output schema, render (PIPELINE 6.7).

What comes out is canonical and frozen. Whatever fails at a door is `INVALID_TOOL_OUTPUT`.
"""

from __future__ import annotations

from typing import Any, Final

from codemode.runtime.content import Content, as_content, text_content
from codemode.runtime.contract import Contract
from codemode.runtime.definition import ANY_JSON, Arguments, render_json
from codemode.runtime.failures import describe_exception
from codemode.runtime.jsontext import compact
from codemode.runtime.policy import BodyOutcome
from codemode.sandbox.bridge.wire import freeze
from codemode.sandbox.values import InvalidValueError, Json, snapshot

MAX_LISTED: Final = 5


class OutputError(ValueError):
    """A value cannot become a result; the message is for the tool's author."""


def admit(contract: Contract, arguments: Arguments, value: object) -> BodyOutcome:
    """Make `value` the canonical success of a call.

    Raises:
        OutputError: See the module.
    """
    try:
        canonical = freeze(value)
    except InvalidValueError as error:
        raise OutputError(f"the tool returned a value that is not JSON: {error}") from None
    if faults := output_faults(contract, canonical):
        raise OutputError(f"the tool returned a value that its output schema refuses: {faults}")
    return BodyOutcome(
        value=canonical,
        content=_rendered(contract, arguments, canonical),
        meta=_presented(contract, arguments, canonical),
    )


def output_faults(contract: Contract, canonical: Json) -> str:
    """What a tool's output schema has against a value; "" when it has nothing."""
    if contract.output is None:
        return ""
    return "; ".join(map(str, contract.output.violations(canonical)[:MAX_LISTED]))


def checked_content(rendered: object) -> Content:
    """What an author's code gave as content.

    Raises:
        OutputError: It is not text, blocks or a list of them, or not encodable.
    """
    try:
        return as_content(rendered)
    except (TypeError, ValueError) as error:
        raise OutputError(str(error)) from None


def _rendered(contract: Contract, arguments: Arguments, value: Json) -> Content:
    output = contract.tool.output or ANY_JSON
    if output.render is render_json:
        return text_content(value if type(value) is str else compact(value))
    try:
        rendered = output.render(arguments, value)
    except Exception as error:  # noqa: BLE001 - the author's render is called here
        raise OutputError(f"the tool's render failed: {describe_exception(error)}") from None
    return checked_content(rendered)


def _presented(contract: Contract, arguments: Arguments, value: Json) -> Any:
    present = None if contract.tool.output is None else contract.tool.output.presentation_meta
    if present is None:
        return None
    try:
        meta = present(arguments, value)
        frozen = None if meta is None else snapshot(dict(meta))
    except InvalidValueError as error:
        raise OutputError(f"the tool's presentation meta is not JSON: {error}") from None
    except Exception as error:  # noqa: BLE001 - the author's presenter is called here
        raise OutputError(f"the tool's presentation failed: {describe_exception(error)}") from None
    return frozen
