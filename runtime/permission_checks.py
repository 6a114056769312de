"""Permission rules without a call: how a written one is read, and which rules are about nothing.

A call is written as rules are: `tool(text)` or `tool(argument=text)`. Pure; runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from codemode.runtime.definition import RUN_CODE, Tool
from codemode.runtime.jsontext import JsonTextError, parse
from codemode.runtime.permission_rules import Rule, RuleError, keyed
from codemode.sdkgen import compile_schema, did_you_mean

#: The parameters of `run_code`, whose definition is never at hand.
_TRANSPORT: Final = frozenset({"code", "description"})


def primary_argument(tool: Tool) -> str | None:
    """The argument that a pattern without a key means: the first required, else the first."""
    required: Any = tool.parameters.get("required") or ()
    names = [name for name in _declared(tool) if name in required] or list(_declared(tool))
    return names[0] if names else None


def read_arguments_of(
    name: str, text: str | None, tool: Tool | None
) -> tuple[dict[str, Any], list[str]]:
    """The arguments of a written call, and what the reader of a verdict must know of them.

    Args:
        text: What stands in the brackets; None without any.
        tool: Its definition, if it is known.

    Raises:
        RuleError: No call of the tool has such an argument.
    """
    if text is None:
        return {}, []
    key, value = keyed(text)
    if name == RUN_CODE:
        return ({"code": text} if key is None or key not in _TRANSPORT else {key: value}), []
    if tool is None:
        if key is None:
            return {"argument": text}, []
        said = f"read as the argument {key!r} of {name}; whether it has one is not known"
        return {key: value}, [said]
    declared, primary = _declared(tool), primary_argument(tool)
    is_closed = tool.parameters.get("additionalProperties") is False
    if key is not None and (key in declared or not (declared or is_closed)):
        return {key: _value(tool, key, value)}, []
    if primary is None:
        raise RuleError(f"{name} has no argument that {text!r} could be")
    notes = [] if key is None else [f"{name} has no argument {key!r}: read as text of {primary!r}"]
    return {primary: _value(tool, primary, text)}, notes


def rules_about_nothing(rules: Sequence[Rule], tools: Iterable[Tool]) -> Iterator[str]:
    """Which rules name a tool or an argument that none of `tools` is or has, one line each."""
    known = {tool.name: tool for tool in tools}
    aliases = {alias: name for name, tool in known.items() for alias in tool.aliases}
    for rule in rules:
        if rule.effect or rule.is_about(RUN_CODE):
            continue
        about = [tool for name, tool in known.items() if rule.is_about(name)]
        if not about:
            meant = aliases.get(rule.name) or did_you_mean(rule.name, known)
            yield f"the rule {rule.text!r} is about no tool that there is{_hint(meant)}"
        elif rule.argument is not None:
            declared = {key for tool in about for key in _declared(tool)}
            if rule.argument not in declared:
                meant = did_you_mean(rule.argument, declared)
                yield f"the rule {rule.text!r}: no such tool has that argument{_hint(meant)}"


def _hint(meant: str | None) -> str:
    return f"; did you mean {meant!r}?" if meant else ""


def _declared(tool: Tool) -> Mapping[str, Any]:
    properties: Any = tool.parameters.get("properties")
    return cast("Mapping[str, Any]", properties) if isinstance(properties, Mapping) else {}


def _value(tool: Tool, key: str, text: str) -> Any:
    """The value that a call would have: the text itself, or the JSON that it spells."""
    if tool.validates_own_arguments:
        return text
    validator = compile_schema(tool.parameters, lenient=True)

    def faults(value: Any) -> list[str]:
        found = validator.violations({key: value})
        return [fault.message for fault in found if fault.pointer.startswith("/")]

    refused = faults(text)
    if not refused:
        return text
    try:
        spelled = parse(text)
    except JsonTextError:
        spelled = text
    if faults(spelled):
        raise RuleError(f"{tool.name} takes no {key}={text}: {refused[0]}")
    return spelled
