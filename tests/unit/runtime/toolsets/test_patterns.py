"""Globs and ignore rules, one row a rule."""

from __future__ import annotations

import pytest

from codemode.runtime.toolsets.files.ignore import is_ignored, parse
from codemode.runtime.toolsets.files.patterns import Pattern, PatternError, glob_expression


@pytest.mark.spec("PIPELINE 15.4")
@pytest.mark.parametrize(
    ("glob", "fits", "misses"),
    [
        ("*.py", ["a.py", ".py"], ["a/b.py", "a.pyc"]),
        ("**/*.py", ["a.py", "a/b/c.py"], ["a/b/c.txt"]),
        ("a/**/b", ["a/b", "a/x/y/b"], ["a/xb", "b"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "b/a"]),
        ("?.c", ["a.c"], ["ab.c", "/.c"]),
        ("[a-c].c", ["b.c"], ["d.c"]),
        ("[!a-c].c", ["d.c"], ["b.c", "/.c"]),
        ("*.{c,h}", ["a.c", "a.h"], ["a.o"]),
        ("a+b(1).txt", ["a+b(1).txt"], ["aab1.txt"]),
        (r"\*.py", ["*.py"], ["a.py"]),
        ("{a", ["{a"], ["a"]),
        ("[", ["["], ["a"]),
        ("[]]", ["]"], ["a"]),
        ("ä?", ["äö"], ["ä"]),
    ],
)
def test_a_glob_fits_what_it_says(glob: str, fits: list[str], misses: list[str]) -> None:
    pattern = Pattern(f"^{glob_expression(glob)}$")
    assert all(pattern.matches(path) for path in fits)
    assert not any(pattern.matches(path) for path in misses)


@pytest.mark.spec("PIPELINE 15.4")
@pytest.mark.parametrize(
    ("lines", "path", "is_folder", "ignored"),
    [
        ("*.log", "a/b.log", False, True),
        ("/a.log", "a.log", False, True),
        ("/a.log", "x/a.log", False, False),
        ("build/", "x/build", True, True),
        ("build/", "x/build", False, False),
        ("docs/*.txt", "docs/a.txt", False, True),
        ("docs/*.txt", "x/docs/a.txt", False, False),
        ("*.log\n!keep.log", "keep.log", False, False),
        ("!keep.log\n*.log", "keep.log", False, True),
        ("# a comment", "# a comment", False, False),
        (r"\#file", "#file", False, True),
        ("trailing   ", "trailing", False, True),
        ("{a,b}", "a", False, False),
        ("", "anything", False, False),
        ("/", "anything", False, False),
    ],
)
def test_an_ignore_file_means_what_git_means(
    lines: str, path: str, is_folder: bool, ignored: bool
) -> None:
    assert is_ignored(parse(lines, ""), path, is_folder=is_folder) is ignored


@pytest.mark.spec("PIPELINE 15.4")
def test_the_rules_of_a_folder_hold_below_it_and_win_over_those_above() -> None:
    rules = [*parse("*.log", ""), *parse("!*.log", "logs/")]
    assert is_ignored(rules, "a.log", is_folder=False)
    assert not is_ignored(rules, "logs/a.log", is_folder=False)
    assert not is_ignored(parse("/x", "logs/"), "x", is_folder=False)


def test_a_malformed_pattern_is_told_in_short() -> None:
    with pytest.raises(PatternError, match="unclosed group"):
        Pattern("(a")
    with pytest.raises(PatternError):
        Pattern("a{100000}{100000}")
