"""Text that the library would run as code to learn what an annotation or a signature says."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable
from types import ModuleType
from typing import Any, Final

from codemode.sandbox.language import attributes, hooks
from codemode.sandbox.language.builtins import SAFE
from codemode.sandbox.language.giving import safe
from codemode.sandbox.language.ownership import MARK, exact_type, is_class, is_own
from codemode.sandbox.language.refusals import denied, refuse_name
from codemode.sandbox.language.stand_ins import shown_class


def evaluate_reference(
    _: Any, self: Any, globalns: Any = None, localns: Any = None, *args: Any, **keywords: Any
) -> Any:
    """Resolve a textual annotation without running it as code."""
    globals_: Any = keywords.get("globals", globalns) or {}
    locals_: Any = keywords.get("locals", localns) or {}
    return _resolve(ast.parse(self.__forward_arg__, mode="eval").body, (locals_, globals_))


def _resolve(node: ast.expr, scopes: Iterable[Any]) -> Any:
    match node:
        case ast.Constant(value=value):
            return (
                _resolve(ast.parse(value, mode="eval").body, scopes)
                if type(value) is str
                else value
            )
        case ast.Name(id=name):
            return _lookup(name, scopes)
        case ast.Attribute(value=value, attr=name):
            return hooks.guarded_getattr(_resolve(value, scopes), name)
        case ast.Subscript(value=value, slice=item):
            return _resolve(value, scopes)[_resolve(item, scopes)]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _resolve(left, scopes) | _resolve(right, scopes)
        case ast.Tuple(elts=items):
            return tuple(_resolve(item, scopes) for item in items)
        case ast.List(elts=items):
            return [_resolve(item, scopes) for item in items]
        case _:
            pass
    raise denied(
        "an annotation that runs code", "textual annotations name types only", "a real annotation"
    )


def _lookup(name: str, scopes: Iterable[Any]) -> Any:
    if attributes.is_dunder(name):
        raise refuse_name(name)
    for scope in scopes:
        # A library's namespace is none that a program may name things in.
        if name in scope and (MARK in scope or _NAMESPACE.isdisjoint(scope)):
            found: Any = scope[name]
            if not isinstance(found, ModuleType):
                return safe(found, name)
    if name in SAFE:
        return shown_class(SAFE[name])
    raise NameError(f"name {name!r} is not defined")


#: What the namespaces of modules have and others have not.
_NAMESPACE: Final = frozenset({"__builtins__", "__spec__", "__loader__"})


_BUILTIN: Final = frozenset(
    {
        types.BuiltinFunctionType,
        types.ClassMethodDescriptorType,
        types.MethodDescriptorType,
        types.MethodWrapperType,
        types.WrapperDescriptorType,
    }
)


def text_signature(original: Any, cls: Any, obj: Any, *rest: Any, **keywords: Any) -> Any:
    """A docstring that begins like a signature has its defaults looked up in every module.

    A program cannot have written it where there is no dict that it could fill.
    """
    is_builtin = exact_type(obj) in _BUILTIN or (is_class(obj) and not is_own(obj))
    if not is_builtin:
        raise ValueError(f"no signature found for {obj!r}")
    return original(cls, obj, *rest, **keywords)
