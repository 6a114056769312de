"""Which name a call is checked under: plain code, coroutines, and what may be either."""

from __future__ import annotations

import pytest

from codemode.runtime.typecheck.regions import Tagger, tag
from codemode.runtime.typecheck.text import ProgramText

TAGGER = Tagger(["tools", "github"])
HANDLE = tag("tools", 0, "handle")
EITHER = tag("tools", 0, "either")


def tagged(source: str) -> str:
    """The tagged text, with the tags as readable names."""
    text = TAGGER.tagged(ProgramText(source))
    assert len(text) == len(source)
    assert TAGGER.untagged(text) == ProgramText(source).uncommented
    for number, name in enumerate(("tools", "github")):
        text = text.replace(tag(name, number, "handle"), f"HANDLE_{name}")
        text = text.replace(tag(name, number, "either"), f"EITHER_{name}")
    return text


@pytest.mark.spec("SDK 6.1")
@pytest.mark.parametrize(
    "source",
    [
        "print(tools.f(a=1))\n",
        "def helper():\n    return tools.f()\nhelper()\n",
        "text = 'async def main(): await x'\ntools.f()\n",
    ],
)
def test_a_program_without_coroutines_is_checked_as_it_is(source: str) -> None:
    assert tagged(source) == source


def test_calls_in_a_coroutine_are_handles_and_calls_around_it_values() -> None:
    source = "x = tools.f()\nasync def main():\n    y = github.g()\nmain()\nz = tools.f()\n"
    assert tagged(source) == source.replace("github", "HANDLE_github")


def test_a_top_level_await_makes_the_top_level_a_coroutine() -> None:
    source = "x = tools.f()\ny = await tools.f()\n"
    assert tagged(source) == source.replace("tools", "HANDLE_tools")


def test_a_plain_function_in_a_program_with_coroutines_may_be_called_from_either() -> None:
    source = "def helper():\n    return tools.f()\nasync def main():\n    await helper()\nmain()\n"
    assert tagged(source) == source.replace("tools", "EITHER_tools")


@pytest.mark.parametrize(
    "line",
    ["f = tools.f", "g = lambda: tools.f()", "pool.map(tools.f, xs)", "tools['f'](a=1)"],
)
def test_what_is_not_called_on_the_spot_may_be_either(line: str) -> None:
    source = f"async def main():\n    {line}\nmain()\n"
    assert tagged(source) == source.replace("tools", "EITHER_tools")


def test_a_name_that_the_program_passes_on_is_one_type_everywhere() -> None:
    source = "async def main(tools):\n    tools.f()\nawait main(tools)\n"
    assert tagged(source) == source.replace("tools", "EITHER_tools")


def test_an_import_gives_either_and_keeps_the_names_that_it_binds() -> None:
    source = "from tools import github, f\nimport github\nawait f()\n"
    expected = "from EITHER_tools import github, f\nimport EITHER_github\nawait f()\n"
    assert tagged(source) == expected


def test_attributes_strings_and_longer_names_are_left_alone() -> None:
    source = "x.tools.f()\nmytools.f()\ntools_.f()\n'tools.f()'\nawait x\n"
    assert tagged(source) == source


def test_indentation_ends_a_coroutine_whatever_stands_between() -> None:
    body = "    s = '''\ntext at the margin\n'''\n    y = (\n1)\n\n    tools.f()\n"
    source = f"async def main():\n{body}main()\n"
    assert tagged(source) == source.replace("tools", "HANDLE_tools")
    after = 'async def main():\n    pass\n"a".join(tools.f())\nmain()\n'
    assert tagged(after) == after


def test_comments_are_not_passed_on() -> None:
    program = ProgramText("tools.f()  # ty: ignore\nawait tools.f()")
    assert "ignore" not in TAGGER.tagged(program)
