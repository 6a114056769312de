from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import console

BENCHMARKS: Final = Path(__file__).parents[2] / "benchmarks"


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


def test_the_costs_of_a_start_are_measured() -> None:
    command = [sys.executable, str(BENCHMARKS / "cold_and_warm.py"), "--runs", "2", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert set(report["image"]["steps_cold"]) == set(report["image"]["steps_warm"])


def test_probes_are_counted_by_what_stops_them(tmp_path: Path) -> None:
    results = tmp_path / "3.11.jsonl"
    errors = (
        "",
        "REFUSED: line 9: eval() is refused: text must not become code",
        "REFUSED: line 4: eval() is refused: text must not become code\n    eval(x)",
        "DeniedError: base class 'type' is refused here: metaclasses are not open",
        "ModuleNotFoundError: No module named 'marshal' in this sandbox: unpickling runs code",
        "AssertionError: ('a', 'b')",
    )
    rows = [
        {"id": str(n), "verdict": "error" if error else "pass", "error": error}
        for n, error in enumerate(errors)
    ]
    results.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = [sys.executable, str(BENCHMARKS / "probe_causes.py"), str(results)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "| 3.11 | 6 | 1 | 16.7% |" in done.stdout
    assert done.stdout.endswith(
        "| cause | 3.11 |\n|---|---|\n| eval() | 2 |\n| AssertionError | 1 |\n"
        "| ModuleNotFoundError: No module named 'marshal' | 1 |\n| base class 'type' | 1 |\n"
    )
