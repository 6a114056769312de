from __future__ import annotations

import json
from pathlib import Path

import console


def test_every_figure_is_measured_and_progress_is_not_on_stdout(tmp_path: Path) -> None:
    done = console.codemode(tmp_path, "bench", "--json", "--runs", "3")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["isolation"] in ("A", "B")
    assert found["runs"] == 3
    figures = {name for name in found if name.endswith(("_ms", "_us", "_per_s"))}
    assert len(figures) == 15
    assert all(isinstance(found[name], float) for name in figures)
    assert found["warm_best_ms"] <= found["warm_ms"]
    assert "measuring: nested calls" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_table_is_for_people(tmp_path: Path) -> None:
    done = console.codemode(tmp_path, "bench", "--runs", "1")
    assert done.returncode == 0, done.stderr
    assert "isolation level" in done.stdout
    assert "with the pipeline and the log" in done.stdout


def test_it_must_measure_something(tmp_path: Path) -> None:
    done = console.codemode(tmp_path, "bench", "--runs", "0")
    assert done.returncode == 2
    assert "--runs" in done.stderr
