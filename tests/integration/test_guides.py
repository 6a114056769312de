"""The guides of docs/, followed literally: files are written, commands are run, output is compared.

A block whose first line is a comment with a file's name is that file. In a `console` block each
command is followed by what it prints; `...` stands for any text.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from console import shell_environment, typed

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*sorted(path.name for path in DOCS.glob("howto_*.md")), "tutorial.md"]

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NEEDS = re.compile(r"^<!-- needs: (\w+) -->$", re.MULTILINE)
NAMED = re.compile(r"\A# ([\w.]+\.\w+)\n")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return shell_environment(tmp_path)


def commands(block: str) -> list[tuple[str, str]]:
    """Each command of a console block with what it prints."""
    pieces = re.split(r"^\$ ", block, flags=re.MULTILINE)
    return [(piece.split("\n", 1)[0], piece.split("\n", 1)[1]) for piece in pieces if piece]


@pytest.mark.parametrize("page", PAGES)
def test_a_guide_does_what_it_says(page: str, tmp_path: Path, environment: dict[str, str]) -> None:
    guide = (DOCS / page).read_text(encoding="utf-8")
    for package in NEEDS.findall(guide):
        pytest.importorskip(package)
    work = tmp_path / "work"
    work.mkdir()
    followed = 0
    for language, text in BLOCK.findall(guide):
        if language == "console":
            for command, expected in commands(text):
                printed = typed(command, work, environment)
                pattern = re.escape(expected).replace(r"\.\.\.", ".*?")
                assert re.fullmatch(pattern, printed, re.DOTALL), f"{command}\n{printed}"
                followed += 1
        elif named := NAMED.match(text):
            (work / named[1]).write_text(text)
    assert followed


def test_the_ten_lines_of_the_readme_run(tmp_path: Path, environment: dict[str, str]) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("x 0\nx 1\n")
    assert (tmp_path / "session.sqlite").exists()


@pytest.mark.parametrize("page", ["policies.md", "approval.md"])
def test_every_snippet_is_from_an_example_that_runs(page: str) -> None:
    sources = "\n".join(path.read_text() for path in (ROOT / "examples").rglob("*.py"))
    snippets = [
        text
        for language, text in BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
        if language == "python"
    ]
    assert snippets
    for snippet in snippets:
        assert snippet in sources, snippet


@pytest.mark.spec("PIPELINE 1.8")
def test_the_snippets_of_the_author_s_checklist_run() -> None:
    """The page is one program: each block may use what stands above it."""
    names: dict[str, object] = {}
    blocks = BLOCK.findall((DOCS / "tools.md").read_text(encoding="utf-8"))
    for language, text in blocks:
        if language == "python":
            exec(compile(text, "tools.md", "exec"), names)
    check = names["test_search_keeps_its_contract"]
    assert callable(check)
    check()
