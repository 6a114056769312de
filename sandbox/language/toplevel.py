"""What the top level of a program means for its result.

Works on the tree before the policy sees it, and adds only names that are not identifiers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from codemode.sandbox.marks import override

_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def has_return(tree: ast.Module) -> bool:
    """Whether a `return` stands outside any function."""
    return any(isinstance(node, ast.Return) for node in _statements(tree.body))


def mark_result(tree: ast.Module, result: str, assigned: str) -> None:
    """Keep the value of the last statement under one of two names, if it has one."""
    if not tree.body:
        return
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        target = ast.copy_location(ast.Name(result, ast.Store()), last)
        tree.body[-1] = ast.copy_location(ast.Assign([target], last.value), last)
    elif isinstance(last, ast.Assign) and all(isinstance(item, ast.Name) for item in last.targets):
        last.targets.append(ast.copy_location(ast.Name(assigned, ast.Store()), last.targets[-1]))
    elif (
        isinstance(last, ast.AnnAssign)
        and isinstance(last.target, ast.Name)
        and last.value is not None
    ):
        kept = ast.Assign([ast.Name(assigned, ast.Store())], ast.Name(last.target.id, ast.Load()))
        tree.body.append(ast.fix_missing_locations(ast.copy_location(kept, last)))


def as_function(tree: ast.Module, name: str) -> tuple[ast.Module, bool]:
    """The program as the definition of a function `name`, and whether that is asynchronous.

    Raises:
        SyntaxError: A top-level `yield`, or a `return` with names that cannot be global.
    """
    body = list(tree.body)
    futures = [body.pop(0) for _ in range(_leading_futures(body))]
    is_async = False
    for node in _own_nodes(body):
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            raise SyntaxError("'yield' outside function")  # noqa: TRY004 - it is one
        is_async = is_async or isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith))
        is_async = is_async or (isinstance(node, ast.comprehension) and bool(node.is_async))
    bound = sorted(_bound_names(body))
    if bound:
        body.insert(0, ast.Global(bound))
    kind = ast.AsyncFunctionDef if is_async else ast.FunctionDef
    empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    function = kind(name=name, args=empty, body=_without_annotations(body), decorator_list=[])
    if "type_params" in function._fields:  # since 3.12
        setattr(function, "type_params", [])  # noqa: B010 - no attribute before
    function.lineno, function.col_offset = 1, 0
    made = ast.Module([*futures, ast.fix_missing_locations(function)], [])
    return made, is_async


def _leading_futures(body: list[ast.stmt]) -> int:
    count = 0
    for index, statement in enumerate(body):
        is_doc = (
            index == 0
            and isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Constant)
        )
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            count = index + 1
        elif not is_doc:
            break
    return count


def _statements(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Statements and handlers of the top level, at any depth, outside functions and classes."""
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, _SCOPES):
            continue
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            stack.extend(getattr(node, field, ()))


def _own_nodes(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """All nodes that run in the top level's own frame."""
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, _SCOPES):
            if not isinstance(node, ast.Lambda):
                stack.extend(node.decorator_list)
            continue
        stack.extend(ast.iter_child_nodes(node))


def _bound_names(body: list[ast.stmt]) -> set[str]:
    bound: set[str] = set()
    for node in _own_nodes(body):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            bound.update(
                (alias.asname or alias.name).split(".")[0]
                for alias in node.names
                if alias.name != "*"
            )
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            bound.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            bound.add(node.rest)
    return bound


def _without_annotations(body: list[ast.stmt]) -> list[ast.stmt]:
    """A global name cannot be annotated in a function: keep the assignment, drop the annotation."""
    return [_Unannotated().visit(statement) for statement in body]


class _Unannotated(ast.NodeTransformer):
    """Turns `x: int = 1` of the top level into `x = 1`, and `x: int` into nothing."""

    @override
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    @override
    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return node

    @override
    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    @override
    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if not isinstance(node.target, ast.Name):
            return node
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)


def show_values(body: list[ast.stmt], hook: str) -> None:
    """Give the value of each expression among the statements of `body` to `hook`, as a prompt does.

    Those in bodies of functions and classes are not shown.
    """
    for statement in body:
        if isinstance(statement, ast.Expr):
            value = statement.value
            name = ast.copy_location(ast.Name(hook, ast.Load()), value)
            statement.value = ast.copy_location(ast.Call(name, [value], []), value)
        elif not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for part in ("body", "orelse", "finalbody"):
                show_values(getattr(statement, part, []), hook)
            for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                show_values(part.body, hook)
