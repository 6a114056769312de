"""Names that the library makes source text or whole classes of: they must be names, and no more.

`namedtuple`, the functional enum and the methods that a dataclass generates.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Final

from codemode.sandbox.language import attributes
from codemode.sandbox.language.classes import check_bases
from codemode.sandbox.language.giving import own_instance
from codemode.sandbox.language.ownership import MADE, MARK, OWN, PROGRAM_MODULE, exact_type
from codemode.sandbox.language.refusals import denied
from codemode.sandbox.language.spelling import exact
from codemode.sandbox.language.view import View, about


def namedtuple(original: Any, typename: Any, field_names: Any, **keywords: Any) -> Any:
    """Its name and those of its fields become source text: read once, as text."""
    if keywords.get("module") is None:
        keywords["module"] = _caller_module(3)
    made = original(exact(str(typename)), _exact_names(field_names), **keywords)
    if keywords["module"] == PROGRAM_MODULE:
        MADE.add(made.__new__)
    return made


def create_enum(original: Any, cls: Any, class_name: Any, names: Any, **keywords: Any) -> Any:
    """The functional enum: no special names, and no type that is closed to inheritance."""
    if keywords.get("module") is None:
        keywords["module"] = _caller_module(4)
    if keywords.get("type") is not None:
        check_bases((keywords["type"],))
    return original(cls, exact(class_name), _enum_names(names), **keywords)


def _enum_names(names: Any) -> Any:
    if isinstance(names, str):
        checked: Any = _exact_names(names)
        plain = checked
    elif hasattr(names, "items"):
        checked = {exact(name): value for name, value in names.items()}
        plain = list(checked)
    else:
        checked = [
            exact(item) if isinstance(item, str) else (exact(item[0]), item[1]) for item in names
        ]
        plain = [item if type(item) is str else item[0] for item in checked]
    for name in plain:
        if attributes.is_dunder(name):
            raise denied(f"special name {name!r} in an enum", *attributes.explain(name))
    return checked


def _exact_names(names: Any) -> list[str]:
    if isinstance(names, str):
        return str.__str__(names).replace(",", " ").split()
    return [exact(str(name)) for name in names]


def _caller_module(depth: int) -> str:
    """The name of the module that called, for classes that say where they were made."""
    frame = sys._getframe(depth)  # pyright: ignore[reportPrivateUsage]  # as the library does
    return str(frame.f_globals.get("__name__", PROGRAM_MODULE))


def set_field(self: Any, name: str, value: Any) -> None:
    """`__setattr__` of a field of a dataclass: its name becomes source text."""
    if name == "name" and value is not None and not attributes.names_field(value):
        raise denied("this name of a field", "it is no public or private name")
    object.__setattr__(self, name, value)


def create_function(original: Any, name: str, args: Any, body: Any, **keywords: Any) -> Any:
    """What a dataclass generates until 3.12, with a check of `self` in front."""
    if MARK in (keywords.get("globals") or ()):
        keywords["locals"] = {**(keywords.get("locals") or {}), **_CHECKS}
        body = _checked_body(args, body)
    return original(name, args, body, **keywords)


def add_function(original: Any, self: Any, name: str, args: Any, body: Any, **keywords: Any) -> Any:
    """The same, since 3.13."""
    if MARK in self.globals:
        keywords["locals"] = {**(keywords.get("locals") or {}), **_CHECKS}
        body = _checked_body(args, body)
    return original(self, name, args, body, **keywords)


def is_type(original: Any, annotation: str, cls: Any, module: Any, *rest: Any) -> bool:
    """Whether an annotation in text names `ClassVar` or its like, behind a module as shown."""
    found = _QUALIFIED.match(annotation)
    home: Any = sys.modules.get(cls.__module__)
    held: Any = None if found is None else getattr(home, found[1], None)
    if found is None or exact_type(held) is not View or about(held)[0] != module.__name__:
        return bool(original(annotation, cls, module, *rest))
    return bool(rest[-1](getattr(module, found[2], None), module))


#: A name behind that of a module, at the beginning of an annotation.
_QUALIFIED: Final = re.compile(r"\s*(\w+)\s*\.\s*(\w+)")


def _checked_body(arguments: Any, body: Any) -> list[str]:
    me, first = arguments[0], body[0]
    indent = first[: len(first) - len(first.lstrip())]
    test = f"{indent}if __dataclass_type__({me}) not in __dataclass_own__:"
    return [f"{test} __dataclass_check__({me})", *body]


#: Names that generated methods find their check under.
_CHECKS: Final[dict[str, Any]] = {
    "__dataclass_type__": type,
    "__dataclass_own__": OWN,
    "__dataclass_check__": own_instance,
}
