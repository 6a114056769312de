# Two commands set up a fresh machine that has Python and make: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

.PHONY: help demo test unit lint types imports check measure probes escapes wheel clean

help:
	@echo "make demo     install, run a program over a real MCP server, show and verify its log"
	@echo "make test     install, run the whole suite"
	@echo "make unit     the inner loop: tests without processes"
	@echo "make check    lint, types and import rules"
	@echo "make wheel    build the sdist and the wheel from it, and try the wheel in a new environment"
	@echo "make escapes  the attacks at every level, as root and as a user: DATA=folder PYTHONS='exe ...'"
	@echo "make measure  attacks, tools and programs of a folder with data/ and measure/: DATA=folder"
	@echo "make probes   the interpreter's own language tests as programs: DATA=folder with measure/"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[demo]'
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

demo: $(VENV)/.demo
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m examples.repo_report

test: $(VENV)/.test
	PYTHONSAFEPATH=1 $(BIN)/pytest -q -n $(JOBS) --dist loadfile

unit: $(VENV)/.test
	PYTHONSAFEPATH=1 $(BIN)/pytest -q -n $(JOBS) tests/unit

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python

imports: $(VENV)/.dev
	$(BIN)/lint-imports

check: lint types imports

wheel: $(VENV)/.dev
	sh .ci/wheel $(BIN)/python

measure: $(VENV)/.test
	$(BIN)/python -m benchmarks.escapes $(DATA)/data/escapes
	$(BIN)/python -m benchmarks.sdk_roundtrip $(DATA)/data/tools
	$(BIN)/python $(DATA)/measure/measure.py --adapter benchmarks/measure_adapter.py --data $(DATA)/data/programs

# With another interpreter as well (VENV=.venv-3.13 PYTHON=python3.13), its column stands beside.
probes: $(VENV)/.test
	mkdir -p build/probes
	$(BIN)/python $(DATA)/measure/libprobes.py build/probes.jsonl
	$(BIN)/python $(DATA)/measure/measure.py --adapter benchmarks/measure_adapter.py \
	  --data build/probes.jsonl --out build/probes/$$($(BIN)/python -c 'import platform as p; print(*p.python_version_tuple()[:2], sep=".")').jsonl
	$(BIN)/python -m benchmarks.probe_causes build/probes/*.jsonl > docs/probes.md

escapes: $(VENV)/.test
	$(BIN)/python -m benchmarks.escapes_matrix $(DATA)/data/escapes $(foreach one,$(PYTHONS),--python $(one))

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
