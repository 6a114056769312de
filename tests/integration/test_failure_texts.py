"""What a model reads of each kind of failure, held by the golden files of `golden/failures`.

One file a failure: what it must tell, the program, and the text. A change of any word is a change
that a person has to read; `UPDATE_GOLDEN=1` writes the files and their index anew.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final, get_args

import anyio
import failing_programs
import pytest
from failing_programs import SECTIONS, Case

from codemode.runtime.code_mode.text import failure_text
from codemode.sandbox import Limits, Outcome, Program, RunControl, Sandbox
from codemode.sandbox.limits import TABLE
from codemode.sandbox.program import Kind, LogEntry

HERE: Final = Path(__file__).parent / "golden" / "failures"
#: Held word by word on the version that the files were written with; elsewhere without its own words.
WRITTEN_WITH: Final = (3, 11)
IS_UPDATING: Final = bool(os.environ.get("UPDATE_GOLDEN"))
CASES: Final = {
    f"{section}/{case.name}": case for section, cases in SECTIONS.items() for case in cases
}
#: What the interpreter draws under a line of a traceback.
MARKS: Final = re.compile(r"^[ |]*[~^]+\n", re.MULTILINE)
MOST_CHARS: Final = 6_000
#: Stands for what the calls of a program did, which the runtime adds.
LEDGER: Final = "(here follows what the program's calls did)"


@pytest.fixture(scope="module", params=["asyncio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """The texts are the guest's and the driver's; one event loop shows them."""
    return str(request.param)


@pytest.fixture(scope="module")
async def sandboxes(anyio_backend: str) -> AsyncIterator[dict[str, Sandbox]]:
    async with (
        Sandbox(policy="restricted", limits=Limits()) as restricted,
        Sandbox(policy="none", limits=Limits()) as free,
    ):
        yield {"restricted": restricted, "none": free}


async def fail(case: Case, sandbox: Sandbox) -> Outcome:
    control = RunControl()
    printed: list[LogEntry] = []

    async def slow() -> None:
        if case.act is not None:
            case.act(control)
        await anyio.sleep_forever()

    with anyio.fail_after(60):
        return await sandbox.run(
            Program(source=case.source, files=case.files),
            bindings=failing_programs.bindings(slow),
            limits=case.all_limits(),
            on_output=printed.append,
            control=control,
        )


def shown(case: Case, outcome: Outcome) -> str:
    """The file of one failure."""
    failure = outcome.failure
    assert failure is not None
    source = case.source if len(case.source) < 2_000 else f"{case.source[:60]} ..."
    text = failure_text(failure, outcome.logs, LEDGER, budget=200)
    if len(text) > MOST_CHARS:
        text = f"{text[:600]}\n[{len(text)} characters in all]\n{text[-300:]}"
    parts = [
        f"Tells: {case.tells}.",
        "--- the program " + "-" * 44,
        source.rstrip("\n"),
        "--- what the model reads " + "-" * 35,
        text,
        *(f"(notice for the host: {notice})" for notice in outcome.notices),
    ]
    return "\n".join(parts) + "\n"


def comparable(text: str, case: Case) -> str:
    """`text` without what the running version of Python words in its own way."""
    if sys.version_info[:2] == WRITTEN_WITH:
        return text
    text = MARKS.sub("", text)
    return text.partition("--- what")[0] if case.is_worded_by_python else text


@pytest.mark.anyio
@pytest.mark.spec("SANDBOX 7.1", "SANDBOX 7.2", "SANDBOX 7.3", "SANDBOX 5.6", "SANDBOX 3.2")
@pytest.mark.parametrize("name", CASES)
async def test_a_failure_reads_as_it_was_found_right(
    name: str, sandboxes: dict[str, Sandbox]
) -> None:
    case = CASES[name]
    outcome = await fail(case, sandboxes[case.policy])
    assert outcome.failure is not None, outcome
    assert outcome.failure.kind == case.kind, outcome.failure
    text, path = shown(case, outcome), HERE / f"{name}.txt"
    if IS_UPDATING:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert comparable(text, case) == comparable(path.read_text(encoding="utf-8"), case)


def index() -> str:
    """README.md of the folder: every failure in reading order, with its first line."""
    lines = [
        "# What a model reads when its program fails",
        "",
        "One file a failure, made by the real guest: what it must tell, the program, the text.",
        "Written by `UPDATE_GOLDEN=1 pytest tests/integration/test_failure_texts.py` with Python"
        f" {WRITTEN_WITH[0]}.{WRITTEN_WITH[1]}, from the programs of `tests/support/failing_programs.py`.",
    ]
    for section, cases in SECTIONS.items():
        lines += ["", f"## {section}", "", "| failure | kind | must tell |", "|---|---|---|"]
        lines += [
            f"| [{case.name}]({section}/{case.name}.txt) | `{case.kind}` | {case.tells} |"
            for case in cases
        ]
    return "\n".join(lines) + "\n"


def test_the_index_lists_every_file_in_reading_order() -> None:
    if IS_UPDATING:
        (HERE / "README.md").write_text(index(), encoding="utf-8")
    assert (HERE / "README.md").read_text(encoding="utf-8") == index()
    files = {str(path.relative_to(HERE).with_suffix("")) for path in HERE.glob("*/*.txt")}
    assert files == set(CASES)


@pytest.mark.spec("SANDBOX 3.1", "SANDBOX 3.2")
def test_every_kind_of_failure_and_every_limit_has_its_file() -> None:
    shown_kinds = {case.kind for case in CASES.values()}
    # No guest can be had: the backend raises, and the caller words it.
    assert shown_kinds == {*get_args(Kind)} - {"sandbox_unavailable"}
    set_limits = {name for case in CASES.values() for name in case.limits}
    # Frames and nesting have no limit that a caller lowers for a program; a drain ends no program.
    assert set_limits == {limit.name for limit in TABLE} - {"frame_bytes", "nesting", "drain_s"}
