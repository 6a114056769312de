"""What a scan of lines can tell of a program."""

from __future__ import annotations

import pytest

from codemode.runtime.typecheck.text import ProgramText


def unused(source: str) -> list[str]:
    """The text of the lines in functions that nothing calls."""
    program = ProgramText(source)
    return [line.text.strip() for line in program.lines if program.is_unused(line.start)]


def test_blanking_keeps_every_position() -> None:
    source = "a = 'x\\'y' # 'no'\nb = \"\"\"one\ntwo\"\"\" + f'{c}'\n'open"
    program = ProgramText(source)
    assert len(program.code) == len(program.uncommented) == len(source)
    assert program.code.index("b =") == source.index("b =")
    assert not any(word in program.code for word in ("one", "no", "open"))
    assert "one" in program.uncommented
    assert "no" not in program.uncommented


def test_lines_are_joined_over_brackets_strings_and_backslashes() -> None:
    program = ProgramText("a = (1,\n2)\nb = \\\n3\nc = '''\n'''\n\n# d\ne")
    assert [line.text[0] for line in program.lines] == ["a", "b", "c", "e"]


@pytest.mark.spec("SDK 6.1")
def test_a_function_that_nothing_names_is_unused_with_all_that_only_it_names() -> None:
    source = """
def leaf():
    a
def recursive():
    b
    recursive(leaf)
def top():
    c
    def inner():
        d
    inner()
async def other():
    e
top()
"""
    assert unused(source) == ["a", "b", "recursive(leaf)", "e"]


def test_what_is_called_without_a_name_is_used() -> None:
    source = """
class A:
    def __init__(self):
        a
    @property
    def value(self):
        b
    def plain(self):
        c
"""
    assert unused(source) == ["c"]


def test_a_name_in_a_string_is_no_use() -> None:
    assert unused("def f():\n    a\nprint('f')\n") == ["a"]
