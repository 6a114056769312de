"""Permission rules as a ready-made pre-execute policy, with an explanation for every decision.

Deny wins over allow, however specific the allow is; an allow answers an ask; what no rule is about
meets the default, which asks. Rules match a tool's canonical name, never an alias. The default does
not meet `run_code`: a program reaches nothing but tools, and each of its calls meets the rules.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, cast

from codemode.runtime.definition import RUN_CODE, Tool
from codemode.runtime.execution import Execution
from codemode.runtime.permission_checks import (
    primary_argument,
    read_arguments_of,
    rules_about_nothing,
)
from codemode.runtime.permission_rules import Rule, RuleError, Subject, parse_call, parse_rule
from codemode.runtime.policy import Allow, Ask, Deny, PreDecision

Verdict = Literal["allow", "ask", "deny"]
_LISTS: Final = ("deny", "allow", "ask")
_TRANSPORT: Final = (
    f"no permission rule is about {RUN_CODE}; the calls of its program meet the rules themselves"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What the rules say of a call, and why.

    Attributes:
        rule: The rule that decides, as written; "" for the default.
        matched: Every rule that is about the call, as `list: rule`, in the order of precedence.
        notes: What was not known when it was judged, and could make a real call's verdict another.
    """

    verdict: Verdict
    rule: str
    reason: str
    matched: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Permissions:
    """The rules; add them with `scope.add("pre", permissions)`.

    Args:
        allow: Calls that need nobody's consent.
        ask: Calls that a person decides.
        deny: Calls that never run.
        default: For a call that no rule is about.

    Raises:
        RuleError: A rule cannot be read.
    """

    name = "permissions"

    def __init__(
        self,
        *,
        allow: Iterable[str] = (),
        ask: Iterable[str] = (),
        deny: Iterable[str] = (),
        default: Verdict = "ask",
    ) -> None:
        if default not in ("allow", "ask", "deny"):
            raise RuleError(f"default must be allow, ask or deny, not {default!r}")
        self._default: Final[Verdict] = default
        self._rules: Final[Mapping[str, tuple[Rule, ...]]] = {
            "deny": tuple(map(parse_rule, deny)),
            "allow": tuple(map(parse_rule, allow)),
            "ask": tuple(map(parse_rule, ask)),
        }

    @classmethod
    def from_toml(cls, source: str | os.PathLike[str]) -> Permissions:
        """Read a TOML file with the lists `allow`, `ask` and `deny`, and `default`.

        Raises:
            RuleError: It is not such a file, or a rule cannot be read.
            OSError: It cannot be opened.
        """
        text = Path(source).read_text(encoding="utf-8")
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise RuleError(f"{source}: {error}") from error
        if unknown := sorted(table.keys() - {*_LISTS, "default"}):
            known = ", ".join(("default", *_LISTS))
            raise RuleError(f"{source}: unknown keys {', '.join(unknown)}; known are {known}")
        for key in _LISTS:
            rules: Any = table.get(key, [])
            if not isinstance(rules, list) or not all(
                isinstance(rule, str) for rule in cast("list[object]", rules)
            ):
                raise RuleError(f"{source}: {key} must be a list of rules")
        try:
            return cls(**table)
        except RuleError as error:
            raise RuleError(f"{source}: {error}") from None

    def __call__(self, execution: Execution) -> PreDecision | None:
        """The policy itself; an unknown tool is left to the pipeline."""
        if execution.tool is None:
            return None
        found = self._judge(subject_of(execution.tool, execution.arguments))
        match found.verdict:
            case "allow":
                return Allow(rule=found.rule, is_grant=bool(found.rule))
            case "ask":
                return Ask(found.reason, rule=found.rule)
            case "deny":
                return Deny(found.reason, rule=found.rule)

    def explain(self, call: str, tool: Tool | None = None) -> Explanation:
        """What the rules say of a call such as `bash(git push)`, which rule decides, and why.

        Args:
            call: A tool's name, with what rules have in brackets: the text of its primary argument,
                or `argument=text`.
            tool: Its definition, for its effects and its parameters.

        Raises:
            RuleError: `call` is not of that form, or no call of the tool has such an argument.
        """
        name, text = parse_call(call)
        arguments, notes = read_arguments_of(name, text, tool)
        rules = self._written()
        if tool is None and name != RUN_CODE and any(rule.effect for rule in rules):
            notes.append(f"the effects of {name} are not known: rules about effects are left out")
        if text is None and any(rule.pattern and rule.is_about(name) for rule in rules):
            notes.append("judged without arguments, which other rules are about")
        if tool is None:
            subject = Subject(
                name=name,
                effects=frozenset(),
                arguments=arguments,
                primary="code" if name == RUN_CODE else "argument",
            )
        else:
            subject = subject_of(tool, arguments)
        return replace(self._judge(subject), notes=tuple(notes))

    def about_nothing(self, tools: Iterable[Tool]) -> tuple[str, ...]:
        """Which rules name a tool or an argument that none of `tools` is or has, one line each.

        A mistyped denial protects nothing: tell who wrote the rules.
        """
        return tuple(rules_about_nothing(self._written(), tools))

    def _written(self) -> list[Rule]:
        return [rule for of_list in self._rules.values() for rule in of_list]

    def _judge(self, subject: Subject) -> Explanation:
        matched = [
            (verdict, rule.text)
            for verdict in _LISTS
            for rule in self._rules[verdict]
            if rule.matches(subject, allows=verdict == "allow")
        ]
        listed = tuple(f"{verdict}: {rule}" for verdict, rule in matched)
        if not matched and subject.name == RUN_CODE:
            return Explanation(verdict="allow", rule="", reason=_TRANSPORT)
        if not matched:
            reason = f"no permission rule is about {subject.name}; the default is {self._default}"
            return Explanation(verdict=self._default, rule="", reason=reason)
        verdict, rule = matched[0]
        return Explanation(
            verdict=cast("Verdict", verdict),
            rule=rule,
            reason=f"the permission rule {rule!r} says {verdict}",
            matched=listed,
        )


def subject_of(tool: Tool, arguments: Mapping[str, Any]) -> Subject:
    """A call as the rules see it."""
    return Subject(
        name=tool.name,
        effects=tool.effects,
        arguments=arguments,
        primary=primary_argument(tool),
        defaults=_defaults(tool),
    )


def _defaults(tool: Tool) -> Mapping[str, Any]:
    """What the schema says of arguments that are left out: the body will take them for given."""
    properties: Any = tool.parameters.get("properties") or {}
    return {
        name: schema["default"]
        for name, schema in properties.items()
        if isinstance(schema, Mapping) and "default" in schema
    }
