"""Shapes -> annotations, and the classes that they name: the types of the stubs.

Results are classes that are dicts with attributes; objects in arguments are TypedDicts or any
mapping. Imported names begin with an underscore and captured builtins are qualified, so no key can
change the meaning of another's type. Pure.

Source: Python typing specification, "Typed dictionaries" and "Overloads".
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from codemode.sdkgen.shapes import (
    ANY,
    AnyJson,
    Choice,
    ListOf,
    MapOf,
    Named,
    Record,
    Scalar,
    Shape,
    TupleOf,
    Union,
)
from codemode.sdkgen.text import literal

Role = Literal["input", "output"]

#: Longest class name, in characters before a number.
MAX_CLASS_NAME: Final = 80
#: Builtins that annotations use, and that a member of a class body may capture.
BUILTINS: Final = frozenset({"str", "int", "float", "bool", "list", "dict"})
# A key that is written out and not declared is a finding; one that is computed is not.
_UNDECLARED_KEY: Final = (
    "    @_overload",
    '    @_deprecated("the result has no such key")',
    "    def __getitem__(self, key: _LiteralString, /) -> _Any: ...",
)
_COMPUTED_KEY: Final = (
    "    @_overload",
    "    def __getitem__(self, key: _builtins.str, /) -> _Any: ...",
)
_DICT_NAMES: Final = frozenset(dir(dict))
_WORD: Final = re.compile(r"[^\W_]+")


class Classes:
    """The classes of a stub module, written as annotations come to need them.

    Attributes:
        definitions: The text of each class, in order of first use.
        named: Classes of the recursive definitions of the tool at hand.
    """

    def __init__(self, taken: Iterable[str], *, is_strict: bool) -> None:
        self.definitions: list[str] = []
        self.named: dict[tuple[Role, str], str] = {}
        self._taken = set(taken)
        self._is_strict = is_strict
        self._known: dict[tuple[Role, Shape], str] = {}

    def next_tool(self) -> None:
        """Forget the tool at hand: another one's definitions may have the same names."""
        self._known, self.named = {}, {}

    def define(self, role: Role, shape: Record, hint: str, definitions: Mapping[str, Shape]) -> str:
        """The name of the class for a record; made at its first use."""
        key = (role, shape)
        known = self._known.get(key)
        if known is not None:
            return known
        name = self.take(hint if role == "output" else f"{hint}Input")
        self._known[key] = name
        self.write(role, name, shape, hint, definitions)
        return name

    def write(
        self, role: Role, name: str, shape: Record, hint: str, definitions: Mapping[str, Shape]
    ) -> None:
        """Write the class of a record under a name that is already taken for it."""
        at = len(self.definitions)
        self.definitions.append("")
        if role == "input":
            self.definitions[at] = self._typed_dict(name, shape, hint, definitions)
        else:
            self.definitions[at] = self._result_class(name, shape, hint, definitions)

    def take(self, hint: str) -> str:
        """Take a free class name; tools and keys never begin with an underscore."""
        hint = hint[:MAX_CLASS_NAME]
        name, number = f"_{hint}", 2
        while name in self._taken:
            name, number = f"_{hint}{number}", number + 1
        self._taken.add(name)
        return name

    def _typed_dict(
        self, name: str, shape: Record, hint: str, definitions: Mapping[str, Shape]
    ) -> str:
        is_plain = all(_is_word(field.key) for field in shape.fields)
        shadowed = frozenset(field.key for field in shape.fields) & BUILTINS
        annotations = Annotations(self, "input", definitions, shadowed if is_plain else frozenset())
        types = {
            field.key: f"{'_Required' if field.required else '_NotRequired'}"
            f"[{annotations.of(field.shape, hint + camel(field.key))}]"
            for field in shape.fields
        }
        if not is_plain:
            keys = [f"    {literal(key)}: {annotation}," for key, annotation in types.items()]
            return "\n".join([f'{name} = _TypedDict("{name}", {{', *keys, "})"])
        lines = [f"    {key}: {annotation}" for key, annotation in types.items()]
        return "\n".join([f"class {name}(_TypedDict):", *(lines or ["    pass"])])

    def _result_class(
        self, name: str, shape: Record, hint: str, definitions: Mapping[str, Shape]
    ) -> str:
        attributes = [field for field in shape.fields if _is_attribute(field.key)]
        shadowed = frozenset(field.key for field in attributes) & BUILTINS
        annotations = Annotations(self, "output", definitions, shadowed)
        types = {
            field.key: annotations.of(field.shape, hint + camel(field.key))
            for field in shape.fields
        }
        lines = [f"class {name}(_builtins.dict[_builtins.str, _Any]):"]
        lines.extend(f"    {field.key}: {types[field.key]}" for field in attributes)
        lines.extend(_item_access(shape, types, is_strict=self._is_strict))
        return "\n".join(lines if len(lines) > 1 else [*lines, "    pass"])


def _item_access(shape: Record, types: Mapping[str, str], *, is_strict: bool) -> list[str]:
    """Overloads of `__getitem__`: keys with one type share one, other literals are findings."""
    by_type: dict[str, list[str]] = {}
    for field in shape.fields:
        by_type.setdefault(types[field.key], []).append(literal(field.key))
    lines: list[str] = []
    if is_strict and shape.extra is None:
        mark = ["    @_overload"] if len(by_type) > 1 else []
        for result, keys in by_type.items():
            signature = f"self, key: _Literal[{', '.join(keys)}], /) -> {result}"
            lines.extend([*mark, f"    def __getitem__({signature}: ..."])
        if lines:
            # Narrower than dict on purpose. Checkers look for the ignore at the last overload.
            lines[-1] += "  # type: ignore"
        return lines
    for result, keys in by_type.items():
        signature = f"self, key: _Literal[{', '.join(keys)}], /) -> {result}"
        lines.extend(["    @_overload", f"    def __getitem__({signature}: ..."])
    if lines and shape.extra is None:
        lines.extend(_UNDECLARED_KEY)
    return [*lines, *_COMPUTED_KEY] if lines else []


class Annotations:
    """Shapes -> annotations for one tool and one role."""

    def __init__(
        self,
        classes: Classes,
        role: Role,
        definitions: Mapping[str, Shape],
        shadowed: frozenset[str],
    ) -> None:
        self._classes = classes
        self._role: Role = role
        self._definitions = definitions
        self._shadowed = shadowed

    def of(self, shape: Shape, hint: str) -> str:
        """The annotation of a shape; `hint` names the classes that it needs."""
        match shape:
            case AnyJson():
                return "_Any"
            case Scalar(name):
                return self._builtin(name)
            case Choice(values):
                return self._choice(values)
            case ListOf(items):
                return self._list([items], hint)
            case TupleOf(items, rest):
                return self._list([*items, *([rest] if rest is not None else [])], hint)
            case MapOf(values):
                return self._map(self.of(values, hint))
            case Record():
                name = self._classes.define(self._role, shape, hint, self._definitions)
                return self._object(name)
            case Union(options):
                parts = [self.of(option, f"{hint}{at + 1}") for at, option in enumerate(options)]
                return " | ".join(dict.fromkeys(parts))
            case Named(pointer, name):
                return self._reference(pointer, hint, name)

    def _builtin(self, name: str) -> str:
        return f"_builtins.{name}" if name in self._shadowed else name

    def _list(self, items: Sequence[Shape], hint: str) -> str:
        inner = dict.fromkeys(self.of(item, f"{hint}Item") for item in items)
        element = "_Any" if "_Any" in inner else " | ".join(inner)
        return f"{'_Sequence' if self._role == 'input' else self._builtin('list')}[{element}]"

    def _map(self, values: str) -> str:
        outer = "_Mapping" if self._role == "input" else self._builtin("dict")
        return f"{outer}[{self._builtin('str')}, {values}]"

    def _object(self, name: str) -> str:
        # A dict that was built step by step is no TypedDict, and valid all the same.
        return f"{name} | {self._map('_Any')}" if self._role == "input" else name

    def _choice(self, values: Sequence[tuple[str, object]]) -> str:
        exact = [literal(value) for kind, value in values if kind not in ("float", "NoneType")]
        kinds = {kind for kind, _ in values}
        parts = [f"_Literal[{', '.join(exact)}]"] if exact else []
        if "float" in kinds:
            parts.append(self._builtin("float"))
        if "NoneType" in kinds:
            parts.append("None")
        return " | ".join(parts)

    def _reference(self, pointer: str, hint: str, name: str) -> str:
        body = self._definitions.get(pointer, ANY)
        if isinstance(body, (Named, AnyJson)):
            return "_Any"
        key = (self._role, pointer)
        taken = self._classes.named.get(key)
        if taken is None:
            title = hint + (camel(name) or "Node")
            taken = self._classes.named[key] = self._classes.take(title)
            if isinstance(body, Record):
                self._classes.write(self._role, taken, body, title, self._definitions)
            else:
                self._classes.definitions.append(f"{taken}: _TypeAlias = {self.of(body, title)}")
        return self._object(taken) if isinstance(body, Record) else taken


def camel(name: str) -> str:
    """`name` in CamelCase, of its words."""
    words = _WORD.findall(name[:60])
    return "".join(word[0].upper() + word[1:] for word in words)


def _is_word(key: str) -> bool:
    """Whether a class body can declare the key, and no imported name is captured by it."""
    return key.isidentifier() and key[0] != "_" and not keyword.iskeyword(key)


def _is_attribute(key: str) -> bool:
    return _is_word(key) and key not in _DICT_NAMES
