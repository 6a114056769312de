"""What of a type checker's reports is a finding, and what a right program may cause."""

from __future__ import annotations

from typing import Any

import pytest

from codemode.runtime.typecheck.findings import MAX_FINDINGS, Finding
from codemode.runtime.typecheck.rules import find
from codemode.runtime.typecheck.text import ProgramText
from codemode.runtime.typecheck.workspace import make_workspace
from codemode.sdkgen import ToolSpec, build_sdk

SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "from": {"type": "string"}},
    "required": ["title"],
}
RESULT = {"type": "object", "properties": {"id": {"type": "integer"}}}
WORKSPACE = make_workspace(
    build_sdk(
        [
            ToolSpec("get", "", SCHEMA, RESULT),
            ToolSpec("send", "", {**SCHEMA, "additionalProperties": True}, RESULT),
            ToolSpec("list_issues", "", SCHEMA, None, "github"),
        ]
    )
)
GET = "bound method `_Tools.get`"
HANDLE = "CoroutineType[Any, Any, _GetResult]"


def report(rule: str, message: str, source: str, at: str) -> dict[str, Any]:
    """A report on the first place of a text in a program, as the language server gives it."""
    start = source.index(at)
    line = source.count("\n", 0, start)
    column = start - (source.rfind("\n", 0, start) + 1)
    return {
        "code": rule,
        "message": message,
        "range": {
            "start": {"line": line, "character": column},
            "end": {"line": line, "character": column + len(at)},
        },
    }


def found(rule: str, message: str, source: str, at: str) -> list[Finding]:
    item = report(rule, message, source, at)
    return list(find([item], WORKSPACE, ProgramText(source)))


@pytest.mark.spec("SDK 6.1")
@pytest.mark.parametrize(
    ("rule", "message", "source", "expected"),
    [
        (
            "missing-attribute",
            "Object of type `_Tools` has no attribute `gett`",
            "tools.gett()",
            "there is no `tools.gett`; did you mean `tools.get`? [unknown-tool]",
        ),
        (
            "missing-attribute",
            "Object of type `_Group_github` has no attribute `list_isues`",
            "github.list_isues()",
            "there is no `tools.github.list_isues`; did you mean `tools.github.list_issues`?"
            " [unknown-tool]",
        ),
        (
            "missing-module-member",
            "Module `github` has no member `nope`",
            "from github import nope",
            "there is no `tools.github.nope`; `catalog.search(query)` finds tools [unknown-tool]",
        ),
        (
            "unknown-argument",
            f"Argument `titel` does not match any known parameter of {GET}",
            "tools.get(titel=1)",
            "`tools.get` has no parameter `titel`; did you mean `title`? [unknown-argument]",
        ),
        (
            "missing-argument",
            f"No argument provided for required parameter `title` of {GET}",
            "tools.get()",
            "`tools.get` needs `title` [missing-argument]",
        ),
        (
            "invalid-argument-type",
            f"Argument to {GET} is incorrect: Expected `str`, found `Literal[3]`",
            "title=3",
            "`title` of `tools.get` should be `str`, not `3` [argument-type]",
        ),
        (
            "missing-attribute",
            "Object of type `_GetResult` has no attribute `idd`",
            "r.idd",
            "the result has no key `idd`; did you mean `id`? [unknown-key]",
        ),
        (
            "missing-attribute",
            "Object of type `list[_GetResult]` has no attribute `id`",
            "r.id",
            "the result is a list and has no `id`; take an item of it first [unknown-key]",
        ),
        (
            "invalid-argument-type",
            "Method `__getitem__` of type `bound method x` cannot be called with key of type"
            ' `Literal["idd"]` on object of type `_GetResult`',
            "r['idd']",
            "the result has no key `idd`; did you mean `id`? [unknown-key]",
        ),
        (
            "unused-awaitable",
            f"Object of type `{HANDLE}` is not awaited",
            "tools.get(title='x')",
            "write `await` before the call: nothing is called without it [forgotten-await]",
        ),
        (
            "missing-attribute",
            f"Object of type `{HANDLE}` has no attribute `id`",
            "r.id",
            "write `await` before the call: it has no `id` [forgotten-await]",
        ),
        (
            "unresolved-reference",
            "Name `prnt` used when not defined",
            "prnt",
            "`prnt` is not defined; did you mean `print`? [unresolved-name]",
        ),
        (
            "unresolved-reference",
            "Name `list_issues` used when not defined",
            "list_issues",
            "`list_issues` is not defined; write `tools.list_issues` [unresolved-name]",
        ),
    ],
)
def test_a_mistake_is_said_with_what_to_write(
    rule: str, message: str, source: str, expected: str
) -> None:
    assert [str(one) for one in found(rule, message, source, source)] == [f"line 1: {expected}"]


@pytest.mark.spec("SDK 6.1")
@pytest.mark.parametrize(
    ("rule", "message", "source", "at"),
    [
        # An optional value, or one of which too little is known.
        ("invalid-argument-type", f"{GET}: Expected `str`, found `Any | None`", "title=x", "x"),
        ("invalid-argument-type", f"{GET}: Expected `str`, found `list[Unknown]`", "title=x", "x"),
        (
            "invalid-argument-type",
            f"{GET}: Expected `str`, found `Literal[3]`\n\ninfo: element `Literal[3]` of union",
            "title=x",
            "title=x",
        ),
        # Text that is computed may well be one of the words.
        (
            "invalid-argument-type",
            f'{GET}: Expected `Literal["a", "b"]`, found `str`',
            "title=x",
            "title=x",
        ),
        # One mapping by position is the whole arguments object, and `**` spreads one.
        (
            "invalid-argument-type",
            f"{GET}: Expected `str`, found `dict[str, str]`",
            "tools.get({'title': 'x'})",
            "{'title': 'x'}",
        ),
        (
            "invalid-argument-type",
            f"{GET}: Expected `str`, found `int`",
            "tools.get(**given)",
            "**given",
        ),
        ("missing-argument", f"No argument provided for required parameter `title` of {GET}",
         "tools.get(given)", "tools.get(given)"),
        # The exact key, and a schema that asks for more.
        ("unknown-argument", f"Argument `from` does not match any known parameter of {GET}",
         "tools.get(**{'from': 1})", "tools"),
        ("unknown-argument",
         "Argument `cc` does not match any known parameter of bound method `_Tools.send`",
         "tools.send(cc=1)", "cc=1"),
        # Other functions than tools.
        ("unknown-argument", "Argument `x` does not match any known parameter of `f`", "f(x=1)", "x"),
        ("invalid-argument-type", "Argument to function `f`: Expected `str`, found `Literal[3]`",
         "f(3)", "3"),
        # A key that the program itself stores or tests for.
        ("missing-attribute", "Object of type `_GetResult` has no attribute `new`",
         "r['new'] = 1\nprint(r.new)", "r.new"),
        ("missing-attribute", "Object of type `_GetResult` has no attribute `new`",
         "if 'new' in r:\n    print(r.new)", "r.new"),
        ("missing-attribute", "Object of type `_GetResult` has no attribute `new`",
         "try:\n    r.new\nexcept AttributeError:\n    pass", "r.new"),
        # Maps have any key, and other objects are not ours.
        ("missing-attribute", "Object of type `dict[str, _GetResult]` has no attribute `new`",
         "r.new", "r.new"),
        ("missing-attribute", "Object of type `Path` has no attribute `new`", "r.new", "r.new"),
        ("not-iterable", "Object of type `int` is not iterable", "for x in 3: pass", "3"),
        # Names that may be bound after all, or are never looked up.
        ("unresolved-reference", "Name `x` used when not defined", "from math import *\nx", "x"),
        ("unresolved-reference", "Name `X` used when not defined", "def f(a: 'X'): pass", "X"),
        ("unresolved-reference", "Name `x` used when not defined",
         "try:\n    x\nexcept NameError:\n    pass", "x"),
        # Whatever else a type checker has to say.
        ("invalid-assignment", "Object of type `int` is not assignable to `str`", "x = 3", "x"),
        ("unknown", "", "x", "x"),
    ],
)  # fmt: skip
def test_what_a_right_program_may_cause_is_no_finding(
    rule: str, message: str, source: str, at: str
) -> None:
    assert found(rule, message, source, at) == []


@pytest.mark.spec("SDK 2.4")
@pytest.mark.parametrize(
    "line",
    [
        "r['new'] = 1",
        "r[ 'new' ] += 1",
        "r.new = 1",
        "r |= {'new': 1}",
        "r.update(new=1)",
        "r.setdefault('new', 1)",
        "'new' not in r",
        "hasattr(r, 'new')",
    ],
)
def test_a_key_that_the_program_knows_of_is_no_finding(line: str) -> None:
    message = "Object of type `_GetResult` has no attribute `new`"
    assert found("missing-attribute", message, f"{line}\nprint(r.new)", "r.new)") == []
    other = line.replace("new", "old")
    assert len(found("missing-attribute", message, f"{other}\nprint(r.new)", "r.new")) == 1


def test_a_mistake_in_a_function_that_nothing_calls_is_no_finding() -> None:
    source = "def f():\n    prnt()\n"
    message = "Name `prnt` used when not defined"
    assert found("unresolved-reference", message, source, "prnt") == []
    assert len(found("unresolved-reference", message, source + "f()\n", "prnt")) == 1


def test_positions_are_those_of_the_program_as_written() -> None:
    source = "s = 'é😀'\r\nif s:\n    'é😀'; prnt(s)\n"
    item = report(
        "unresolved-reference", "Name `prnt` used when not defined", "    'é😀'; prnt", "prnt"
    )
    for edge in item["range"].values():
        edge["line"] = 2
    [finding] = find([item], WORKSPACE, ProgramText(source))
    assert (finding.line, finding.column) == (3, 11)


def test_a_program_that_does_not_compile_is_left_to_the_compiler() -> None:
    source = "x = (\nprnt"
    name = report("unresolved-reference", "Name `prnt` used when not defined", source, "prnt")
    syntax = report("invalid-syntax", "unexpected EOF while parsing", source, "x")
    top = report("invalid-syntax", "`await` outside of an asynchronous function", source, "x")
    assert find([name, syntax], WORKSPACE, ProgramText(source)) == ()
    assert len(find([name, top], WORKSPACE, ProgramText(source))) == 1


def test_findings_are_bounded_in_order_and_said_once() -> None:
    source = "\n".join(f"x{number}" for number in range(50))
    items = [
        report(
            "unresolved-reference", f"Name `x{number}` used when not defined", source, f"x{number}"
        )
        for number in reversed(range(10, 50))
    ]
    findings = find([*items, *items], WORKSPACE, ProgramText(source))
    assert [finding.line for finding in findings] == list(range(11, 11 + MAX_FINDINGS))
