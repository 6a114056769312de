"""Which methods can only ever be called bound, so that `self` is known to be the program's own.

A store to `self.x` is harmless when `self` is an instance of a class of the program's. A method is
called with something else only if somebody gets hold of the plain function. This module reads
the whole program once, and trusts a method when its name occurs nowhere but in definitions and in
calls with too few arguments to pass `self` by hand. Where a name is computed at run time, `giving`
hands out such functions with a check in front. There are other ways to a plain function, so that a
method is trusted only with attributes that the library does not know. Unusual text costs speed,
never safety.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from codemode.sandbox.language import attributes

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"

#: Called by the interpreter with a class, whatever the decorators say.
_IMPLICITLY_STATIC: Final = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})

#: Attributes of a property that give its functions back.
PROPERTY_PARTS: Final = frozenset({"fget", "fset", "fdel", "getter"})

_ANY_NUMBER: Final = 1 << 30


class Uses:
    """How a program uses names, as far as methods are concerned.

    Attributes:
        most_arguments: By attribute name, the most arguments that any call passes to it.
        elsewhere: Names that occur in any other way: read, bound, quoted, matched.
        bound: Names that something binds.
        rebound: Those that something else binds than the functions of a property.
        has_star_import: Any name may be bound.
    """

    __slots__ = ("bound", "elsewhere", "has_star_import", "most_arguments", "rebound")

    def __init__(self, tree: ast.AST) -> None:
        self.most_arguments: dict[str, int] = {}
        self.elsewhere: set[str] = set()
        self.bound: set[str] = set()
        self.rebound: set[str] = set()
        self.has_star_import = False
        self._read(tree)

    def _read(self, tree: ast.AST) -> None:
        stack: list[Any] = [tree]
        elsewhere, bound = self.elsewhere, self.bound
        while stack:
            node = stack.pop()
            kind = node.__class__
            if kind is ast.Name:
                elsewhere.add(node.id)
                if node.ctx.__class__ is not ast.Load:
                    bound.add(node.id)
                    self.rebound.add(node.id)
                continue
            if kind is ast.Constant:
                if node.value.__class__ is str:
                    elsewhere.add(node.value)
                continue
            if kind is ast.Call:
                self._call(node, stack)
                continue
            if kind is ast.Attribute:
                elsewhere.add(node.attr)
                stack.append(node.value)
                continue
            for field in node._fields:
                value: Any = getattr(node, field, None)
                if value.__class__ is list:
                    for item in value:
                        if isinstance(item, ast.AST):
                            stack.append(item)
                        elif item.__class__ is str:
                            elsewhere.add(item)
                elif isinstance(value, ast.AST):
                    stack.append(value)
                elif value.__class__ is str and field != "type_comment":
                    self._text(node, field, value)

    def _text(self, node: ast.AST, field: str, text: str) -> None:
        """A name that is a field of its own; that of a function's definition alone is no use."""
        if isinstance(node, ast.keyword):
            return
        self.bound.add(text)
        if not (isinstance(node, ast.FunctionDef) and _is_of_property(node)):
            self.rebound.add(text)
        if isinstance(node, ast.alias):
            self.has_star_import = self.has_star_import or text == "*"
            self.bound.add(text.partition(".")[0])
            self.rebound.add(text.partition(".")[0])
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.elsewhere.add(text)

    def _call(self, node: ast.Call, stack: list[ast.AST]) -> None:
        stack.extend(node.args)
        stack.extend(node.keywords)
        func = node.func
        if not isinstance(func, ast.Attribute):
            stack.append(func)
            return
        stack.append(func.value)
        count = len(node.args) + len(node.keywords)
        for argument in node.args:
            if argument.__class__ is ast.Starred:
                count = _ANY_NUMBER
        for keyword in node.keywords:
            if keyword.arg is None:
                count = _ANY_NUMBER
        if count > self.most_arguments.get(func.attr, -1):
            self.most_arguments[func.attr] = count


def _is_of_property(node: ast.FunctionDef) -> bool:
    """Whether a function is decorated as a part of a property of its name, and no more."""
    match node.decorator_list:
        case [ast.Name(id="property")]:
            return True
        case [ast.Attribute(value=ast.Name(id=name), attr="setter" | "deleter")]:
            return name == node.name
        case _:
            return False


class MethodTrust:
    """The trust in the methods of one class body, asked for in source order."""

    __slots__ = ("_class_name", "_properties", "_uses")

    def __init__(self, uses: Uses, class_name: str) -> None:
        self._uses = uses
        self._class_name = class_name
        self._properties: set[str] = set()

    def is_bound_only(self, node: Function) -> bool:
        """Whether `node`, defined in this body, can only be called with an instance as `self`."""
        arguments = node.args
        positional = len(arguments.posonlyargs) + len(arguments.args)
        if not positional or node.name in _IMPLICITLY_STATIC or self._uses.has_star_import:
            return False
        if "__" in node.name[1:] and not attributes.is_dunder(node.name):
            return False  # in a class, another spelling may be the same name
        if node.decorator_list:
            return self._is_property(node)
        required = positional - len(arguments.defaults)
        return required > 0 and all(
            self._never_unbound(name, required) for name in self._spellings(node.name)
        )

    def _spellings(self, name: str) -> tuple[str, ...]:
        if name.startswith("__") and not name.endswith("__"):
            return name, f"_{self._class_name.lstrip('_')}{name}"
        return (name,)

    def _never_unbound(self, name: str, required: int) -> bool:
        uses = self._uses
        return name not in uses.elsewhere and uses.most_arguments.get(name, -1) < required

    def _is_property(self, node: Function) -> bool:
        uses = self._uses
        if (
            isinstance(node, ast.AsyncFunctionDef)
            or not _is_of_property(node)
            or "property" in uses.bound
            or not PROPERTY_PARTS.isdisjoint(uses.elsewhere)
            or not PROPERTY_PARTS.isdisjoint(uses.most_arguments)
        ):
            return False
        if isinstance(node.decorator_list[0], ast.Name):
            self._properties.add(node.name)
            return True
        return node.name in self._properties and node.name not in uses.rebound


class SelfUse(NamedTuple):
    """What a method does with its first parameter.

    Attributes:
        me: Its name.
        store: The first store to an attribute of it, if there is one.
        stored: The attributes that are stored or deleted, as written.
        load: The first read of an attribute of it, if there is one.
        loaded: The attributes that are read, as written.
    """

    me: str
    store: ast.Attribute | None
    load: ast.Attribute | None
    stored: frozenset[str]
    loaded: frozenset[str]


def self_use(node: Function) -> SelfUse | None:
    """How a method uses its first parameter; None when something in it may rebind the name."""
    parameters = [*node.args.posonlyargs, *node.args.args]
    if not parameters:
        return None
    me = parameters[0].arg
    if "__" in me:
        return None  # in a class, another spelling may be the same name
    if any(
        isinstance(item, ast.Name) and item.id == "staticmethod" for item in node.decorator_list
    ):
        return None
    found: ast.Attribute | None = None
    load: ast.Attribute | None = None
    stored: set[str] = set()
    loaded: set[str] = set()
    stack: list[Any] = list(reversed(node.body))
    while stack:
        item = stack.pop()
        kind = item.__class__
        if kind is ast.Name:
            if item.id == me and item.ctx.__class__ is not ast.Load:
                return None
            continue
        if kind is ast.Attribute:
            value = item.value
            if value.__class__ is ast.Name and value.id == me:
                is_read = item.ctx.__class__ is ast.Load
                (loaded if is_read else stored).add(item.attr)
                found = found or (None if is_read else item)
                load = load or (item if is_read else None)
            stack.append(value)
            continue
        if kind in _REBINDERS and me in _REBINDERS[kind](item):
            return None
        children: list[ast.AST] = []
        for field in item._fields:
            child: Any = getattr(item, field, None)
            if child.__class__ is list:
                children.extend(part for part in child if isinstance(part, ast.AST))
            elif isinstance(child, ast.AST):
                children.append(child)
        stack.extend(reversed(children))
    return SelfUse(me, found, load, frozenset(stored), frozenset(loaded))


#: How each binding node other than a Name tells the names it binds.
_REBINDERS: Final[dict[type[ast.AST], Callable[[Any], Any]]] = {
    ast.arg: lambda node: (node.arg,),
    ast.FunctionDef: lambda node: (node.name,),
    ast.AsyncFunctionDef: lambda node: (node.name,),
    ast.ClassDef: lambda node: (node.name,),
    ast.ExceptHandler: lambda node: (node.name,),
    ast.MatchAs: lambda node: (node.name,),
    ast.MatchStar: lambda node: (node.name,),
    ast.MatchMapping: lambda node: (node.rest,),
    ast.Global: lambda node: node.names,
    ast.Nonlocal: lambda node: node.names,
    ast.alias: lambda node: ((node.asname or node.name).split(".")[0],),
    **{
        getattr(ast, kind): lambda node: (node.name,)
        for kind in ("TypeVar", "ParamSpec", "TypeVarTuple")
        if hasattr(ast, kind)  # since 3.12
    },
}


def is_harmless(
    method: str, use: SelfUse, class_name: str | None, foreign_names: frozenset[str] | None
) -> bool:
    """Whether a method does no harm to an object of the library's, were it given one as `self`.

    The plain function of a bound method is given to whoever is compared with it: nothing special is
    stored or read by a trusted one, and nothing private to the library. The library itself takes
    methods from classes by the names that it knows, and calls them with anything: those store
    nothing that it knows, and nothing at all if they are hooks. Only an instance of its own class
    is ever given to `__init__` so.
    """

    def is_of_library(name: str) -> bool:
        return foreign_names is None or name in foreign_names or attributes.is_dunder(name)

    is_hook = method in attributes.DOCUMENTED | attributes.ASKED | attributes.TAKEN
    is_special = is_hook or attributes.is_dunder(method)
    is_taken = method != "__init__" and (is_special or is_of_library(method))
    used = {attributes.mangled(name, class_name) for name in use.stored}
    read = {attributes.mangled(name, class_name) for name in use.loaded}
    if (is_hook and used) or any(
        is_of_library(name) for name in used if is_taken or name.startswith("_")
    ):
        return False
    return all(
        attributes.decide(name, foreign_names=foreign_names) is attributes.Verdict.PLAIN
        for name in read
    )
