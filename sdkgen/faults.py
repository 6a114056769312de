"""INVALID_ARGS for the one who called: what is missing, unknown and allowed, and what was meant.

Adds to a validator's violations what validators do not say: the nearest declared name of a likely
typo, the branch of a union that was nearest, a bounded echo. Pure; never raises.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from codemode.sdkgen.arguments import as_record
from codemode.sdkgen.compact import SHALLOW, notation
from codemode.sdkgen.documents import list_of, object_of, own_copy, resolve
from codemode.sdkgen.identifiers import localize
from codemode.sdkgen.reading import read
from codemode.sdkgen.text import folded
from codemode.sdkgen.violation import Violation, echo

#: Most lines of violations in the text.
MAX_LINES: Final = 10
#: Most names that a list in the text shows.
MAX_NAMES: Final = 40


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


def did_you_mean(name: str, known: Collection[str]) -> str | None:
    """The known name that `name` is likely a slip for, or None."""
    plain = _plain(name)
    by_plain = {_plain(other): other for other in sorted(known, reverse=True)}
    if plain in by_plain:
        return by_plain[plain]
    close = difflib.get_close_matches(plain, list(by_plain), n=1, cutoff=0.72)
    if close:
        return by_plain[close[0]]
    words = set(_words(name))
    related = [other for other in sorted(known) if words & set(_words(other))]
    return related[0] if len(related) == 1 else None


def _plain(name: str) -> str:
    return name[:100].replace("_", "").replace("-", "").lower()


def _words(name: str) -> list[str]:
    spaced = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name[:100])
    return [word for word in spaced.replace("_", " ").replace("-", " ").split() if len(word) > 2]


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
    missing = tuple(field.key for field in ordered if field.required and field.key not in passed)
    nearest = _nearest(
        unknown, missing, [name for name in allowed if name not in passed] or list(allowed)
    )
    branches = {
        violation.pointer: _nearest_branch(copied, violation)
        for violation in violations
        if violation.branches
    }
    shapes = [notation(field.shape, reading.definitions, SHALLOW) for field in ordered[:MAX_NAMES]]
    signature = ", ".join(
        f"{field.key}{'' if field.required else '?'}: {shape}"
        for field, shape in zip(ordered, shapes, strict=False)
    )
    report = ArgumentsReport(
        missing=missing,
        unknown=unknown,
        allowed=allowed,
        nearest=nearest,
        branches=branches,
        echo=echo(value),
        text="",
    )
    return _with_text(report, violations, folded(signature, 1_200))


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
    at, closest = min(enumerate(violation.branches), key=lambda item: (_distance(item[1]), item[0]))
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


def _distance(branch: Sequence[Violation]) -> tuple[float, int]:
    weight = 0.0
    for violation in branch:
        # A wrong discriminator or a wrong type says that the branch was not meant.
        wrong_kind = violation.keyword in ("const", "enum", "type")
        weight += 3.0 if wrong_kind else 1.0 + 0.2 * len(violation.unexpected)
    return weight, len(branch)


def _titles(schema: Mapping[str, object], violation: Violation) -> dict[int, str]:
    """Titles of a union's branches, where the union can be found by the value's pointer."""
    node: object = schema
    for raw in violation.pointer.split("/")[1:]:
        part = raw.replace("~1", "/").replace("~0", "~")
        node = _descend(schema, node, part)
    forms = object_of(_followed(schema, node)).get(violation.keyword)
    titles: dict[int, str] = {}
    for at, form in enumerate(list_of(forms)):
        title = object_of(_followed(schema, form)).get("title")
        if isinstance(title, str):
            titles[at] = title
    return titles


def _followed(root: Mapping[str, object], node: object) -> Mapping[str, object] | None:
    for _ in range(20):
        if not isinstance(node, Mapping):
            return None
        schema = cast("Mapping[str, object]", node)
        if "$ref" not in schema:
            return schema
        node = resolve(root, schema["$ref"])
    return None


def _descend(root: Mapping[str, object], node: object, part: str) -> object:
    schema = _followed(root, node)
    if schema is None:
        return None
    properties = object_of(schema.get("properties"))
    if part in properties:
        return properties[part]
    return schema.get("items") if part.isdecimal() else schema.get("additionalProperties")


def _with_text(
    report: ArgumentsReport, violations: Sequence[Violation], signature: str
) -> ArgumentsReport:
    lines: list[str] = []
    if report.missing:
        lines.append(f"missing: {_names(report.missing)}")
    for name in report.unknown[:MAX_LINES]:
        meant = report.nearest.get(name)
        hint = f"; did you mean {meant!r}?" if meant else ""
        lines.append(f"unknown: {folded(name, 80)!r}{hint}")
    for violation in violations:
        if violation.pointer == "" and violation.keyword in ("required", "additionalProperties"):
            continue
        lines.append(str(violation))
        branch = report.branches.get(violation.pointer)
        if branch and violation.branches:
            lines.append(f"  {branch}")
    if len(lines) > MAX_LINES * 2:
        lines[MAX_LINES * 2 :] = [f"and {len(lines) - MAX_LINES * 2} more"]
    lines.append(f"valid parameters: {signature}" if signature else "the tool takes no parameters")
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
