"""The parameters that the shape of an arguments object declares. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from codemode.sdkgen.shapes import ANY, Field, MapOf, Named, Record, Shape, Union, union


def as_record(shape: Shape, definitions: Mapping[str, Shape]) -> Record:
    """The parameters that the shape of an arguments object declares.

    A union of objects gives every parameter of its branches; those are required that every branch
    requires. A dictionary, and anything that is not an object, declares none.
    """
    for _ in range(8):
        if not isinstance(shape, Named):
            break
        shape = definitions.get(shape.pointer, ANY)
    if isinstance(shape, Record):
        return shape
    if isinstance(shape, Union):
        branches = [as_record(option, definitions) for option in shape.options]
        return _either([branch for branch in branches if branch.fields])
    return Record((), shape.values if isinstance(shape, MapOf) else ANY, False)


def takes_more(schema: Mapping[str, object]) -> bool:
    """Whether the schema says itself that names which it does not declare are welcome."""
    others = schema.get("additionalProperties")
    return others is True or isinstance(others, dict)


def _either(branches: list[Record]) -> Record:
    shapes: dict[str, list[Shape]] = {}
    for branch in branches:
        for field in branch.fields:
            shapes.setdefault(field.key, []).append(field.shape)
    always = [{field.key for field in branch.fields if field.required} for branch in branches]
    fields = tuple(
        Field(key, union(found), all(key in keys for keys in always))
        for key, found in shapes.items()
    )
    return Record(
        fields, None if branches else ANY, bool(branches) and all(b.is_closed for b in branches)
    )
