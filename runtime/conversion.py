"""Between JSON and the Python types of a function: schemas out, arguments in, results out.

Pydantic does the work, once for each annotation; it is imported when the first function becomes a
tool. Scalars that the schema has judged already pass without it.
"""

from __future__ import annotations

import json
import types
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import partial
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    Protocol,
    Union,
    cast,
    get_args,
    get_origin,
    is_typeddict,
)

from codemode.sandbox.values import thaw
from codemode.sdkgen.validation import is_valid_pattern

_SCALARS: Final[frozenset[Any]] = frozenset({str, int, float, bool, type(None), None})
_MAPS: Final = frozenset(
    {"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"}
)
_DATA: Final = frozenset({"default", "const", "enum", "examples"})


class Convert(Protocol):
    """Makes a parameter's value from JSON, or JSON from a result."""

    def __call__(self, value: Any, /) -> Any:
        """The converted value."""
        ...


class ConversionError(ValueError):
    """An argument has no value of its parameter's type; the message is for the model."""


def argument_converter(annotation: Any) -> Convert:
    """From a frozen JSON value that fits the schema to a value of `annotation`.

    The converter raises `ConversionError`.

    Raises:
        ValueError: No JSON is a value of it; pydantic raises errors of its own besides.
    """
    base = _bare(annotation)
    members = _members(base)
    if members and members <= _SCALARS:
        has_int, has_float = int in members, float in members
        if has_float and not has_int:
            return lambda value: float(value) if type(value) is int else value
        if has_int and not has_float:
            # JSON Schema takes 1.0 for an integer.
            return lambda value: int(value) if type(value) is float else value
        return _same
    if get_origin(base) is Literal:
        kinds: set[Any] = {type(arg) for arg in get_args(base)}
        if kinds == {str}:
            return _same
        if kinds <= _SCALARS:
            return partial(_choice, get_args(base))
    if base is Any:
        return thaw
    return _Parsed(annotation)


def is_total(convert: Convert) -> bool:
    """Whether the converter has a value for everything that the schema accepts."""
    return not isinstance(convert, _Parsed)


def result_converter(annotation: Any) -> Convert | None:
    """From a function's result to JSON; None when its values are JSON as they are."""
    if _is_json(annotation):
        return None
    from pydantic import TypeAdapter

    adapter: Any = TypeAdapter(annotation)
    return lambda value: adapter.dump_python(value, mode="json", by_alias=True, warnings="none")


def tidy(schema: Any) -> Any:
    """A generated schema without its titles and without patterns that pydantic alone can match."""
    if type(schema) is list:
        return list(map(tidy, cast("Iterable[Any]", schema)))
    if type(schema) is not dict:
        return schema
    tidied: dict[str, Any] = {}
    for word, value in cast("dict[str, Any]", schema).items():
        if word in _DATA:
            tidied[word] = value
        elif word in _MAPS and type(value) is dict:
            members = cast("dict[str, Any]", value)
            tidied[word] = {name: tidy(member) for name, member in members.items()}
        elif word == "title" or (word == "pattern" and not is_valid_pattern(str(value))):
            continue
        else:
            tidied[word] = tidy(value)
    return tidied


def _same(value: Any) -> Any:
    return value


def _choice(members: tuple[Any, ...], value: Any) -> Any:
    """The member that JSON takes for equal: 1.0 is 1, and neither is true."""
    is_truth = type(value) is bool
    return next(one for one in members if one == value and (type(one) is bool) is is_truth)


def _bare(annotation: Any) -> Any:
    """The type below `Annotated`, if its notes only describe or constrain."""
    if get_origin(annotation) is not Annotated:
        return annotation
    from pydantic.fields import FieldInfo

    base, *notes = get_args(annotation)
    return base if all(isinstance(note, (str, FieldInfo)) for note in notes) else annotation


def _members(annotation: Any) -> frozenset[Any]:
    """The members of a union, or the one type; empty when one of them is no plain class."""
    parts = (
        get_args(annotation)
        if get_origin(annotation) in (Union, types.UnionType)
        else (annotation,)
    )
    try:
        return frozenset(parts)
    except TypeError:
        return frozenset()


def _is_json(annotation: Any) -> bool:
    """Whether every value of the type is JSON already."""
    if annotation is Any or (isinstance(annotation, type | None) and annotation in _SCALARS):
        return True
    origin, args = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return all(map(_is_json, args))
    if origin is Literal:
        return all(type(arg) in (str, int, bool, type(None)) for arg in args)
    if origin in (list, tuple):
        return all(arg is Ellipsis or _is_json(arg) for arg in args)
    if origin is dict:
        return args[0] is str and _is_json(args[1])
    if is_typeddict(annotation):
        return all(map(_is_json, getattr(annotation, "__annotations__", {}).values()))
    return annotation in (dict, list) if isinstance(annotation, type) else False


class _Parsed:
    """By pydantic; the only converter that can refuse what the schema accepts."""

    def __init__(self, annotation: Any) -> None:
        from pydantic import TypeAdapter

        self._adapter: Any = TypeAdapter(annotation)
        for member in _unreachable(self._adapter.core_schema):
            raise ValueError(
                f"Literal[{member}]: no JSON equals a member of an Enum; write the Enum itself, or"
                f" Literal[{member.value!r}]"
            )

    def __call__(self, value: Any, /) -> Any:
        from pydantic import ValidationError

        sent = thaw(value)
        try:
            return self._adapter.validate_python(sent)
        except ValidationError as error:
            refused = error
        # What is strict takes a date, a tuple or a member of an Enum out of JSON's text only.
        try:
            return self._adapter.validate_json(json.dumps(sent))
        except ValidationError as error:
            refused = error
        faults = refused.errors(include_url=False, include_context=False, include_input=False)
        raise ConversionError(
            "; ".join(
                "".join(f"/{part}" for part in fault["loc"]) + f" {fault['msg']}"
                for fault in faults[:5]
            ).strip()
        )


def _unreachable(schema: Any) -> Iterator[Enum]:
    """The members of an Enum that literals of a core schema ask for, and no JSON value equals."""
    if type(schema) is list:
        for part in cast("Iterable[Any]", schema):
            yield from _unreachable(part)
    elif type(schema) is dict:
        node = cast("dict[str, Any]", schema)
        if node.get("type") == "literal":
            expected: list[Any] = node["expected"]
            yield from (e for e in expected if isinstance(e, Enum) and e != e.value)
        for part in node.values():
            yield from _unreachable(part)
