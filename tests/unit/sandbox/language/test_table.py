"""The table of syntax nodes is complete for the interpreter at hand."""

from __future__ import annotations

import ast

import pytest

from codemode.sandbox.language.table import ABSTRACT, BY_NODE, TABLE
from codemode.sandbox.language.transformer import Transformer


@pytest.mark.spec("SANDBOX 6.7")
def test_every_syntax_node_of_this_python_has_a_decision() -> None:
    nodes = {
        name
        for name, value in vars(ast).items()
        if isinstance(value, type) and issubclass(value, ast.AST) and not name.startswith("_")
    }
    assert nodes - set(BY_NODE) - ABSTRACT == set()


def test_no_node_has_two_rows_and_every_row_has_a_reason() -> None:
    assert len(TABLE) == len(BY_NODE)
    assert all(row.reason for row in TABLE)


@pytest.mark.parametrize(
    "row", [row for row in TABLE if row.decision == "checked"], ids=lambda row: row.node
)
def test_a_checked_node_has_a_rule_of_its_own(row: object) -> None:
    rule = f"visit_{row.node}"  # type: ignore[attr-defined]  # a Row
    assert any(rule in vars(kind) for kind in (Transformer,))
