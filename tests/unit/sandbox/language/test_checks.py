"""The checks in a transformed tree."""

from __future__ import annotations

import ast

import pytest

from codemode.sandbox.language.methods import Uses
from codemode.sandbox.language.transformer import Transformer


def _transformed(source: str) -> ast.Module:
    tree = ast.parse(source)
    Transformer(Uses(tree), frozenset()).visit(tree)
    return tree


@pytest.mark.spec("SANDBOX 6.4")
def test_names_of_checks_are_no_identifiers() -> None:
    tree = ast.parse("def f(o):\n    o.x = o._data\n    o.__class__")
    Transformer(Uses(tree), None).visit(tree)
    added = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - {"o"}
    assert added
    assert not any(name.isidentifier() for name in added)


@pytest.mark.spec("SANDBOX 6.5")
def test_an_object_by_name_is_checked_unless_it_is_an_instance_of_the_programs() -> None:
    text = ast.unparse(_transformed("o.x = 1"))
    assert text == "(o if $type(o) in $own else $write(o)).x = 1"


@pytest.mark.spec("SANDBOX 6.5")
def test_a_method_that_stores_on_its_self_checks_it_once_behind_its_docstring() -> None:
    tree = _transformed(
        "class A:\n    def f(self):\n        'doc'\n        self.x = 1\n        self.y = 2\nA.f"
    )
    text = ast.unparse(tree)
    assert text.count("$inside(self)") == 1
    assert text.index('"""doc"""') < text.index("$inside") < text.index("self.x")


def test_a_check_stands_at_the_place_of_what_it_checks() -> None:
    tree = _transformed("x = 1\ny = f(x).__class__\n")
    assign = tree.body[1]
    assert isinstance(assign, ast.Assign)
    check = assign.value
    assert isinstance(check, ast.Call)
    assert (check.lineno, check.col_offset, check.func.lineno) == (2, 4, 2)


def test_a_traceback_that_is_only_shown_needs_no_refusal() -> None:
    tree = ast.parse("traceback.print_tb(tb=e.__traceback__)\nprint_tb(e.__traceback__)")
    transformer = Transformer(Uses(tree), None)
    transformer.visit(tree)
    assert not transformer.refusals
    assert ast.unparse(tree).count("$trace(e)") == 2
