"""Every example runs, and prints what people have read and found right (tests/integration/golden)."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import golden
import pytest

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"

#: Each example with the behaviours that its output proves.
EXAMPLES = {
    "policy": ("PIPELINE 6.1", "PIPELINE 6.2", "PIPELINE 6.17"),
    "guard": ("PIPELINE 6.4", "PIPELINE 6.22"),
    "wrapper": ("PIPELINE 6.5", "PIPELINE 6.8", "PIPELINE 8.5"),
    "finaliser": ("PIPELINE 6.10", "PIPELINE 6.11", "PIPELINE 6.20"),
    "collector": ("PIPELINE 6.12", "PIPELINE 6.21"),
    "approval_channel": (
        "PIPELINE 7.2", "PIPELINE 7.3", "PIPELINE 7.5", "PIPELINE 7.6", "CODE_MODE 6.7",
    ),
    "contexts": ("PIPELINE 9.1", "CODE_MODE 4.1", "CODE_MODE 4.2", "CODE_MODE 6.9"),
    "stop_and_defer": ("PIPELINE 6.1", "PIPELINE 6.15", "PIPELINE 9.4"),
    "sub_agent": ("PIPELINE 4.1", "PIPELINE 4.3", "PIPELINE 4.8"),
    "legacy_tool": ("PIPELINE 1.7", "PIPELINE 2.3", "PIPELINE 2.9"),
}  # fmt: skip

PROGRAMS = {
    "paging": ("CODE_MODE 2.3",),
    "fan_out": ("CODE_MODE 3.5", "CODE_MODE 3.7"),
    "caught_denial": ("CODE_MODE 3.4", "CODE_MODE 3.7"),
    "racing": ("CODE_MODE 3.5", "CODE_MODE 5.1"),
    "ledger": ("CODE_MODE 2.4", "CODE_MODE 2.5"),
    "after_the_ledger": ("CODE_MODE 5.4",),
}


def example(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The example's module, found as `python -m examples.NAME` finds it."""
    monkeypatch.syspath_prepend(str(ROOT))  # pyright: ignore[reportUnknownMemberType] -- untyped there
    return importlib.import_module(f"examples.{name}")


@pytest.mark.anyio
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.spec(*refs)) for name, refs in EXAMPLES.items()]
)
async def test_an_example_prints_what_it_says(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await example(name, monkeypatch).main()
    printed = capsys.readouterr()
    golden.check(GOLDEN / f"{name}.txt", printed.out)
    assert printed.err == ""


@pytest.mark.anyio
@pytest.mark.spec(*sorted({ref for refs in PROGRAMS.values() for ref in refs}))
async def test_the_model_reads_of_each_program_what_the_gallery_shows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gallery = example("gallery.__main__", monkeypatch)
    assert set(gallery.PROGRAMS) == set(PROGRAMS)
    for name, text in (await gallery.show()).items():
        golden.check(GOLDEN / f"program_{name}.txt", text + "\n")


def test_every_example_has_a_test_and_says_how_to_run_it() -> None:
    found = {path.stem: path for path in (ROOT / "examples").glob("*.py") if path.stem[0] != "_"}
    assert set(found) == set(EXAMPLES)
    for name, path in found.items():
        assert f"python -m examples.{name}\n" in path.read_text(encoding="utf-8")
