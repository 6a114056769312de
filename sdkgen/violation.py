"""One violation of a schema: where, which keyword, and a message that is bounded.

The messages say what was expected; they echo values only through `echo`, which cuts them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import jsonschema_rs
from typing_extensions import override

from codemode.sdkgen.documents import list_of
from codemode.sdkgen.nearest import did_you_mean
from codemode.sdkgen.text import folded

#: Longest echo of an offending value, in characters.
MAX_ECHO: Final = 80
#: Most enum values that a message lists.
MAX_LISTED: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One thing that is wrong with a value.

    Attributes:
        pointer: JSON Pointer into the value; "" is the root.
        message: What was expected, for the caller.
        keyword: The schema's keyword, such as `required`.
        missing: The absent key, for `required`.
        unexpected: The refused keys, for `additionalProperties`.
        branches: For `anyOf` and `oneOf`: the violations under each branch.
        expected: For `type`: the allowed types.
    """

    pointer: str
    message: str
    keyword: str
    missing: str = ""
    unexpected: tuple[str, ...] = ()
    branches: tuple[tuple[Violation, ...], ...] = ()
    expected: tuple[str, ...] = ()

    @override
    def __str__(self) -> str:
        return f"{folded(self.pointer, 400) or '/'}: {self.message}"


def echo(value: object) -> str:
    """A bounded, inert look at a value, as compact JSON."""
    cut = _cut(value, 3)
    try:
        text = json.dumps(cut, ensure_ascii=False)
    except (TypeError, ValueError):
        text = f"<{type(value).__name__}>"
    return folded(text, MAX_ECHO)


def _cut(value: object, depth: int) -> object:
    if isinstance(value, str):
        return str(value[: MAX_ECHO + 8])
    if isinstance(value, Mapping):
        items = list(cast("Mapping[object, object]", value).items())[:8] if depth else []
        return {str(key)[:MAX_ECHO]: _cut(item, depth - 1) for key, item in items}
    if isinstance(value, (list, tuple)):
        return [
            _cut(item, depth - 1) for item in cast("Sequence[object]", value)[: 12 if depth else 0]
        ]
    return value


def describe_error(error: jsonschema_rs.ValidationError, depth: int = 0) -> Violation:
    """Translate an error of the validator, branches of unions included."""
    kind = error.kind
    facts = kind.as_dict() if kind.name not in ("anyOf", "oneOf", "propertyNames") else {}
    context: Sequence[Sequence[jsonschema_rs.ValidationError]] = getattr(kind, "context", ())
    branches: tuple[tuple[Violation, ...], ...] = ()
    if depth < 3:
        branches = tuple(
            tuple(describe_error(inner, depth + 1) for inner in branch[:10])
            for branch in context[:32]
        )
    unexpected = [str(name) for name in list_of(facts.get("unexpected"))]
    pointer = _pointer(error.instance_path)
    types = _types(pointer, branches)
    if types:
        # "an integer or null" says more than two forms, each with its own fault.
        expected = f"expected {' or '.join(types)}, got {echo(error.instance)}"
        return Violation(pointer=pointer, message=expected, keyword=kind.name)
    return Violation(
        pointer=pointer,
        message=_message(kind.name, {**facts, "branches": branches}, error),
        keyword=kind.name,
        expected=tuple(facts["types"]) if kind.name == "type" else (),
        missing=str(facts.get("property", "")) if kind.name == "required" else "",
        unexpected=tuple(unexpected[:50]),
        branches=branches,
    )


def _types(pointer: str, branches: Sequence[Sequence[Violation]]) -> list[str]:
    """The types that are allowed, where the value's type is all that is wrong under each branch."""
    found: dict[str, None] = {}
    for branch in branches:
        if len(branch) != 1 or not branch[0].expected or branch[0].pointer != pointer:
            return []
        found.update(dict.fromkeys(_NAMES[word] for word in branch[0].expected))
    return list(found)


def _pointer(path: Sequence[str | int]) -> str:
    return "".join("/" + str(part)[:200].replace("~", "~0").replace("/", "~1") for part in path)


def _message(name: str, facts: Mapping[str, Any], error: jsonschema_rs.ValidationError) -> str:
    writer = _MESSAGES.get(name)
    if writer is None:
        said = folded(error.message, 160)
        return f"has a key that is not allowed: {said}" if name == "propertyNames" else said
    text = writer(facts)
    if name == "enum":
        text += _hint(error.instance, facts["options"])
    return f"{text}, got {echo(error.instance)}" if name not in _WITHOUT_ECHO else text


def _types_text(types: Sequence[str]) -> str:
    return " or ".join(_NAMES[word] for word in sorted(types, key=lambda word: word == "null"))


def _one_of(values: Sequence[object]) -> str:
    texts = list(dict.fromkeys(echo(value) for value in values[: 4 * MAX_LISTED]))
    if not texts:
        return "no value is allowed here"
    shown = ", ".join(texts[:MAX_LISTED])
    count = f", \u2026 ({len(values)} values)" if len(texts) > MAX_LISTED else ""
    return f"expected one of {shown}{count}"


def _unknown(facts: Mapping[str, Any]) -> str:
    return "unknown: " + ", ".join(repr(folded(str(key), 80)) for key in facts["unexpected"][:8])


def _hint(value: object, options: Sequence[object]) -> str:
    """The value of a long list that was likely meant."""
    if not isinstance(value, str) or len(options) <= MAX_LISTED:
        return ""
    meant = did_you_mean(value, [o for o in options[:1_000] if isinstance(o, str)])
    return f"; did you mean {echo(meant)}?" if meant else ""


def _exactly_one(branches: Sequence[Sequence[Violation]]) -> str:
    if all(branches):
        return "fits none of the allowed forms"
    return "fits more than one of the forms, of which exactly one may fit"


_NAMES: Final = {
    "object": "an object",
    "array": "a list",
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "a boolean",
    "null": "null",
}

_WITHOUT_ECHO: Final = frozenset({"required", "additionalProperties", "unevaluatedProperties"})

_MESSAGES: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "type": lambda f: "expected " + _types_text(f["types"]),
    "enum": lambda f: _one_of(f["options"]),
    "const": lambda f: f"expected {echo(f['expected_value'])}",
    "required": lambda f: f"{folded(str(f['property']), 80)!r} is missing",
    "additionalProperties": lambda f: _unknown(f),
    "minLength": lambda f: f"expected at least {f['limit']} characters",
    "maxLength": lambda f: f"expected at most {f['limit']} characters",
    "minItems": lambda f: f"expected at least {f['limit']} items",
    "maxItems": lambda f: f"expected at most {f['limit']} items",
    "minProperties": lambda f: f"expected at least {f['limit']} keys",
    "maxProperties": lambda f: f"expected at most {f['limit']} keys",
    "minimum": lambda f: f"expected at least {f['limit']}",
    "maximum": lambda f: f"expected at most {f['limit']}",
    "exclusiveMinimum": lambda f: f"expected more than {f['limit']}",
    "exclusiveMaximum": lambda f: f"expected less than {f['limit']}",
    "multipleOf": lambda f: f"expected a multiple of {f['multiple_of']}",
    "pattern": lambda f: f"expected text that matches {folded(str(f['pattern']), 120)}",
    "format": lambda f: f"expected the format {f['format']}",
    "uniqueItems": lambda f: "expected items that differ from each other",
    "anyOf": lambda f: "fits none of the allowed forms",
    "oneOf": lambda f: _exactly_one(f["branches"]),
    "not": lambda f: "is what the schema refuses",
    "falseSchema": lambda f: "no value is allowed here",
    "unevaluatedProperties": lambda f: _unknown(f),
    "unevaluatedItems": lambda f: "has items that are not allowed",
    "additionalItems": lambda f: f"expected at most {f['limit']} items",
    "contains": lambda f: "has no item of the kind that is expected",
}
