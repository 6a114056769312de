"""The checks that the transformer puts into a tree, as nodes; `namespace` says what they call.

They are bound to names that are not identifiers (`$write`), so that no binder, present or future,
can shadow them. Each stands at the place of what it checks.
"""

from __future__ import annotations

import ast
from typing import Any, Final

from codemode.sandbox.language.methods import Function
from codemode.sandbox.language.words import words

_LOAD: Final = ast.Load()


def call(check: str, place: ast.AST, *arguments: Any) -> Any:
    """A call of `check`."""
    return _at(place, ast.Call(named(check, place), list(arguments), []))


def loaded(node: ast.Attribute, name: str) -> Any:
    """What stands for the read of an attribute, `name` when mangled."""
    return call("$load", node, node.value, _at(node, ast.Constant(name)))


def in_place(node: ast.Attribute, name: str) -> Any:
    """What stands for the object in `object.name += value`, `name` when mangled."""
    return call("$place", node, node.value, _at(node, ast.Constant(name)))


def fact(node: ast.Attribute, function: Any) -> Any:
    """What stands for `function.__code__.attribute`."""
    return call("$fact", node, function, _at(node, ast.Constant(node.attr)))


def unless_own(value: Any, plain: ast.expr, checked: ast.expr) -> Any:
    """`plain` for instances of the program's classes, `checked` for all else.

    Args:
        value: The name of the object in question.
    """
    return _at(plain, ast.IfExp(_is_own(value), plain, checked))


def check_on_entry(node: Function, place: ast.Attribute, own_self: str, check: str) -> None:
    """Check `self` once, so that every `self.x = v` of the method stays plain bytecode."""
    me = named(own_self, place)
    write = ast.Expr(ast.Call(named(check, me), [me], []))
    test = ast.UnaryOp(ast.Not(), _is_own(me))
    unless = ast.If(test, [write], [])
    for made in (write, test, unless):
        ast.copy_location(made, place)
    ast.fix_missing_locations(unless)
    first = node.body[0]
    is_doc = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    node.body.insert(1 if is_doc else 0, unless)


def gated(node: ast.MatchClass, visited: ast.pattern) -> Any:
    """A class pattern behind a gate, which matches the subject itself."""
    return _at(node, ast.MatchClass(named("$gate", node), [visited], [], []))


def check_group(node: ast.TryStar) -> None:
    """Let the handlers of `except*` see plain groups only."""
    check = ast.Expr(ast.Call(named("$group", node), [], []))
    handler = ast.ExceptHandler(named("$error", node), None, [check, ast.Raise()])
    body = ast.Try(body=node.body, handlers=[handler], orelse=[], finalbody=[])
    node.body = [ast.fix_missing_locations(ast.copy_location(body, node))]


#: Functions of `traceback` that turn one into text.
_SHOW_TRACES: Final = frozenset(
    words("format_exception print_exception format_tb print_tb extract_tb TracebackException")
)


def show_traces(node: ast.Call) -> None:
    """`traceback.print_exception(type(e), e, e.__traceback__)` and its kin only show it."""
    if _called(node.func) not in _SHOW_TRACES:
        return
    for holder in (*node.keywords, node):
        args = [holder.value] if isinstance(holder, ast.keyword) else node.args
        for index, value in enumerate(args):
            if isinstance(value, ast.Attribute) and value.attr == "__traceback__":
                shown = call("$trace", value, value.value)
                if isinstance(holder, ast.keyword):
                    holder.value = shown
                else:
                    node.args[index] = shown


def _called(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def _at(place: ast.AST, made: Any) -> Any:
    return ast.copy_location(made, place)


def named(text: str, place: ast.AST) -> ast.Name:
    """The name `text`, read."""
    return ast.copy_location(ast.Name(text, _LOAD), place)


def _is_own(value: ast.Name) -> ast.expr:
    """`type(value) in own`: true for instances of the program's classes and nothing else."""
    kind = call("$type", value, named(value.id, value))
    made: ast.expr = _at(value, ast.Compare(kind, [ast.In()], [named("$own", value)]))
    return made
