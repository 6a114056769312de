"""INVALID_ARGS for the one who called: what is missing, unknown and allowed, and what was meant.

Adds to a validator's violations what validators do not say: the nearest declared name of a likely
typo, the branch of a union that was nearest, a bounded echo. Pure; never raises.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from codemode.sdkgen.arguments import as_record, takes_more
from codemode.sdkgen.compact import SHALLOW, Detail, key_text, notation
from codemode.sdkgen.documents import list_of, object_of, own_copy
from codemode.sdkgen.identifiers import localize
from codemode.sdkgen.locating import followed, keys_of, node_at
from codemode.sdkgen.nearest import did_you_mean
from codemode.sdkgen.reading import Reading, read
from codemode.sdkgen.shapes import Record
from codemode.sdkgen.text import folded
from codemode.sdkgen.violation import Violation, echo

#: Most lines of violations in the text.
MAX_LINES: Final = 10
#: Most names that a list in the text shows.
MAX_NAMES: Final = 40
#: How a parameter is shown that is missing or wrong; the others are shown at a glance.
_AT_FAULT: Final = Detail(depth=3, choices=20, fields=20, characters=400)
#: Keywords whose fault at the root is told by the names that are missing or unknown.
_SAID_BY_NAME: Final = frozenset(
    {"required", "additionalProperties", "unevaluatedProperties", "falseSchema"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentsReport:
    """What is wrong with an arguments object.

    Attributes:
        missing: Required parameters that were not passed.
        unknown: Passed names that are not declared, also where the root is open.
        allowed: The declared parameters, required ones first.
        nearest: Unknown (or missing) name -> the declared (or passed) name that was likely meant.
        branches: Pointer of a union -> the nearest of its forms and what it lacks.
        echo: The beginning of the arguments, for orientation.
        text: All of it for the model, a few lines.
    """

    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    allowed: tuple[str, ...]
    nearest: Mapping[str, str]
    branches: Mapping[str, str]
    echo: str
    text: str


def explain_violations(
    schema: Mapping[str, object],
    value: object,
    violations: Sequence[Violation],
    *,
    known: Collection[str],
) -> ArgumentsReport:
    """Explain why `value` is not a valid arguments object.

    Args:
        schema: Of the arguments, as it was compiled.
        value: What was passed.
        violations: As `Validator.violations` gave them; may be empty, to report names alone.
        known: Declared parameter keys (and aliases that callers may write).
    """
    copied, _ = own_copy(schema)
    localize(copied)
    reading = read(copied)
    record = as_record(reading.shape, reading.definitions)
    ordered = sorted(record.fields, key=lambda field: not field.required)
    allowed = tuple(field.key for field in ordered) or tuple(sorted(known))
    passed = set(object_of(value))
    declared = {*allowed, *known}
    unknown = tuple(sorted(str(name) for name in passed - declared))
    if schema.get("patternProperties"):
        # Those are unknown that were refused by name: others a pattern may allow.
        refused = {name for v in violations if v.pointer == "" for name in v.unexpected}
        unknown = tuple(name for name in unknown if name in refused)
    required = [field.key for field in ordered if field.required and field.key not in passed]
    # A name may be required by what else was passed.
    required.extend(v.missing for v in violations if v.pointer == "" and v.missing)
    missing = tuple(dict.fromkeys(required))
    nearest = _nearest(
        unknown, missing, [name for name in allowed if name not in passed] or list(allowed)
    )
    branches = {
        violation.pointer: _nearest_branch(copied, violation)
        for violation in violations
        if violation.branches
    }
    report = ArgumentsReport(
        missing=missing,
        unknown=unknown,
        allowed=allowed,
        nearest=nearest,
        branches=branches,
        echo=echo(value),
        text="",
    )
    at_fault = {*missing, *(v.pointer[1:].split("/")[0] for v in violations if v.pointer)}
    valid = _valid(copied, reading, record, at_fault)
    return _with_text(report, copied, value, violations, valid, takes_more=takes_more(copied))


def _valid(
    schema: Mapping[str, object], reading: Reading, record: Record, at_fault: Collection[str]
) -> str:
    """What may be passed, in one line."""
    patterns = list(object_of(schema.get("patternProperties")))
    if not record.fields:
        if patterns:
            shown = ", ".join(folded(pattern, 80) for pattern in patterns[:4])
            return f"valid parameters: names that match {shown}"
        if record.extra is not None and takes_more(schema):
            return f"valid parameters: *: {notation(record.extra, reading.definitions, SHALLOW)}"
        is_closed = record.is_closed or schema.get("additionalProperties") is False
        return f"the tool {'takes' if is_closed else 'declares'} no parameters"
    parts: list[str] = []
    for field in sorted(record.fields, key=lambda field: not field.required)[:MAX_NAMES]:
        escaped = field.key.replace("~", "~0").replace("/", "~1")
        detail = _AT_FAULT if escaped[:200] in at_fault or field.key in at_fault else SHALLOW
        mark = "" if field.required else "?"
        shape = notation(field.shape, reading.definitions, detail)
        parts.append(f"{key_text(field.key)}{mark}: {shape}")
    if len(record.fields) > MAX_NAMES:
        parts.append("\u2026")
    elif record.extra is not None and takes_more(schema):
        parts.append(f"*: {notation(record.extra, reading.definitions, SHALLOW)}")
    return f"valid parameters: {folded(', '.join(parts), 1_600)}"


def _nearest(unknown: Sequence[str], missing: Sequence[str], free: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in unknown[:MAX_NAMES]:
        meant = did_you_mean(name, free)
        if meant is None and len(unknown) == 1 and len(missing) == 1:
            meant = missing[0]
        if meant is not None:
            found[name] = meant
    return found


def _nearest_branch(schema: Mapping[str, object], violation: Violation) -> str:
    """The form with the fewest and deepest violations, and what keeps the value from it."""
    at, closest = min(
        enumerate(violation.branches),
        key=lambda item: (_distance(violation.pointer, item[1]), item[0]),
    )
    if not closest:
        fitting = [str(at + 1) for at, branch in enumerate(violation.branches) if not branch]
        return f"forms {', '.join(fitting)} all fit; exactly one may"
    reasons = "; ".join(_within(violation.pointer, inner) for inner in closest[:3])
    title = _titles(schema, violation).get(at, "")
    name = f" ({folded(title, 40)})" if title else ""
    return f"nearest is form {at + 1} of {len(violation.branches)}{name}: {reasons}"


def _within(pointer: str, violation: Violation) -> str:
    inner = violation.pointer.removeprefix(pointer)
    return f"{inner}: {violation.message}" if inner else violation.message


def _distance(pointer: str, branch: Sequence[Violation]) -> tuple[float, int]:
    weight = 0.0
    for violation in branch:
        # A wrong discriminator, or another type as a whole, says that the branch was not meant.
        wrong_kind = violation.keyword in ("const", "enum") or (
            violation.keyword == "type" and violation.pointer == pointer
        )
        weight += 3.0 if wrong_kind else 1.0 + 0.2 * len(violation.unexpected)
    return weight, len(branch)


def _titles(schema: Mapping[str, object], violation: Violation) -> dict[int, str]:
    """Titles of a union's branches, where the union can be found by the value's pointer."""
    forms = object_of(node_at(schema, violation.pointer)).get(violation.keyword)
    titles: dict[int, str] = {}
    for at, form in enumerate(list_of(forms)):
        title = object_of(followed(schema, form)).get("title")
        if isinstance(title, str):
            titles[at] = title
    return titles


def _slip(schema: Mapping[str, object], value: object, violation: Violation) -> str:
    """For a key inside a parameter that is missing or unknown: the one that was likely meant."""
    if violation.pointer == "" or not (violation.missing or violation.unexpected):
        return ""
    declared = object_of(object_of(node_at(schema, violation.pointer)).get("properties"))
    holder = value
    for part in keys_of(violation.pointer):
        if isinstance(holder, (list, tuple)):
            items = cast("Sequence[object]", holder)
            holder = items[int(part)] if part.isdecimal() and int(part) < len(items) else None
        else:
            holder = object_of(holder).get(part)
    passed = object_of(holder)
    if violation.missing:
        meant = did_you_mean(violation.missing, [str(key) for key in passed if key not in declared])
        return f"; was it meant by {folded(meant, 80)!r}?" if meant else ""
    free = [key for key in declared if key not in passed]
    meant = did_you_mean(violation.unexpected[0], free)
    return f"; did you mean {folded(meant, 80)!r}?" if meant else ""


def _with_text(
    report: ArgumentsReport,
    schema: Mapping[str, object],
    value: object,
    violations: Sequence[Violation],
    valid: str,
    *,
    takes_more: bool,
) -> ArgumentsReport:
    """The report in lines.

    Args:
        takes_more: The schema says what undeclared names take: then only a likely slip is told.
    """
    lines: list[str] = []
    if report.missing:
        lines.append(f"missing: {_names(report.missing)}")
    for name in report.unknown[:MAX_LINES]:
        meant = report.nearest.get(name)
        if takes_more and not meant:
            continue
        hint = f"; did you mean {folded(meant, 200)!r}?" if meant else ""
        lines.append(f"unknown: {folded(name, 80)!r}{hint}")
    listed = {v.pointer for v in violations if v.keyword in ("enum", "const")}
    for violation in violations:
        is_by_name = violation.pointer == "" and violation.keyword in _SAID_BY_NAME
        # A declared name can be refused too, by another part of the schema.
        if is_by_name and (
            report.unknown
            if violation.keyword == "falseSchema"
            else set(report.unknown).issuperset(violation.unexpected)
        ):
            continue
        # The list of what is allowed says the type too.
        if violation.keyword == "type" and violation.pointer in listed:
            continue
        lines.append(f"{violation}{_slip(schema, value, violation)}")
        branch = report.branches.get(violation.pointer)
        if branch and violation.branches:
            lines.append(f"  {branch}")
    if len(lines) > MAX_LINES * 2:
        lines[MAX_LINES * 2 :] = [f"and {len(lines) - MAX_LINES * 2} more"]
    lines.append(valid)
    return ArgumentsReport(
        missing=report.missing,
        unknown=report.unknown,
        allowed=report.allowed,
        nearest=report.nearest,
        branches=report.branches,
        echo=report.echo,
        text="\n".join(lines),
    )


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(repr(folded(name, 80)) for name in names[:MAX_NAMES])
    return shown if len(names) <= MAX_NAMES else f"{shown}, \u2026"
