"""`codemode audit show`, `report`, `export` and `prune`: what is printed, and the exit status."""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from recorded import HISTORY

from codemode.runtime.audit import build_tree, render_tree
from codemode.runtime.cli.app import main
from codemode.runtime.cli.calls import OUTCOMES
from codemode.runtime.log import LogFullError, copy_log, open_store, read_events
from codemode.runtime.log.journal import JournalRun, SqliteJournal

WALK = Path(__file__).parents[4] / "examples" / "audit_walk" / "recorded" / "session.jsonl"


@dataclass(frozen=True)
class Done:
    """What a command came to."""

    status: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture
def audit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["codemode", "audit", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return Done(int(ended.value.code or 0), printed.out, printed.err)

    return run


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.sqlite"
    source, target = open_store(HISTORY, read_only=True), open_store(path)
    copy_log(source, target)
    source.close()
    target.close()
    return path


# --- show ---------------------------------------------------------------------------------------


@pytest.mark.spec("AUDIT 2.1")
def test_show_prints_the_tree_a_turn_at_a_time(audit: Command) -> None:
    store = open_store(HISTORY, read_only=True)
    tree = build_tree(read_events(store, "s_demo"))
    store.close()
    assert audit("show", HISTORY) == Done(0, render_tree(tree, width=80), "")
    printed = json.loads(audit("show", HISTORY, "--json").out)
    assert printed == json.loads(json.dumps([tree.as_json()]))


@pytest.mark.spec("AUDIT 2.1")
def test_show_takes_filters_and_one_json_document_holds_what_is_left(audit: Command) -> None:
    done = audit("show", HISTORY, "--tool", "git.*", "--outcome", "denied")
    assert "git.commit" in done.out
    assert "fetch" not in done.out
    (tree,) = json.loads(audit("show", HISTORY, "--text", "no such text", "--json").out)
    assert tree["turns"] == []
    assert tree["events"] == 41
    for option in ("--since", "--until"):
        wrong = audit("show", HISTORY, option, "yesterday")
        assert (wrong.status, "ISO 8601" in wrong.err) == (2, True)


def test_a_session_that_the_log_does_not_have_is_a_usage_error(audit: Command) -> None:
    done = audit("show", HISTORY, "--session", "nobody")
    assert (done.status, done.out) == (2, "")
    assert "has no session nobody" in done.err


@pytest.mark.spec("AUDIT 2.1")
def test_what_can_be_read_of_a_damaged_log_is_shown_and_the_rest_is_counted(
    audit: Command, log: Path
) -> None:
    connection = sqlite3.connect(log)
    connection.execute("UPDATE event SET body = CAST('{\"data\":' AS BLOB) WHERE seq = 14")
    connection.commit()
    connection.close()
    for options in ((), ("--json",)):
        done = audit("show", log, *options)
        assert done.status == 1
        assert "publish" in done.out
        assert "1 events cannot be read" in done.err
    assert audit("verify", log).status == 1


@pytest.mark.spec("AUDIT 2.1")
def test_a_line_that_is_no_event_is_named_and_not_passed_over(
    audit: Command, tmp_path: Path
) -> None:
    lines = HISTORY.read_bytes().splitlines(keepends=True)
    lines[14] = b"nonsense\n"
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes(b"".join(lines))
    for options in ((), ("--json",)):
        done = audit("show", damaged, *options)
        assert (done.status, "publish" in done.out) == (1, True)
        assert "not an event, and not shown: byte" in done.err


@pytest.mark.spec("AUDIT 2.1")
@pytest.mark.parametrize("command", [("show",), ("show", "--json"), ("report",), ("verify",)])
def test_a_log_without_a_session_is_said_to_be_one(
    audit: Command, tmp_path: Path, command: tuple[str, ...]
) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b'{"codemode_log":1}\n')
    done = audit(*command, empty)
    assert (done.status, done.out, "has no session" in done.err) == (2, "", True)


@pytest.mark.parametrize("command", ["show", "report"])
def test_an_outcome_that_no_call_can_have_is_a_usage_error(audit: Command, command: str) -> None:
    done = audit(command, HISTORY, "--outcome", "deny")
    assert (done.status, done.out) == (2, "")
    assert "expected one of ok, error, denied" in done.err


def test_every_outcome_of_a_call_can_be_asked_for(audit: Command) -> None:
    for outcome in OUTCOMES:
        assert audit("show", HISTORY, "--outcome", outcome).status == 0


def test_repair_makes_no_log_where_there_is_none(audit: Command, tmp_path: Path) -> None:
    for name in ("missing.sqlite", "missing.jsonl"):
        done = audit("repair", tmp_path / name)
        assert (done.status, "no such log" in done.err) == (2, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.spec("AUDIT 2.1")
def test_a_call_that_the_guest_refused_is_shown_in_its_words(audit: Command) -> None:
    done = audit("show", WALK, "--outcome", "refused")
    assert done.status == 0
    assert "\"notify: it has no parameter 'too'; did" in done.out
    assert "never started: invalid_arguments, claimed by the guest" in done.out


@pytest.mark.spec("AUDIT 2.1")
def test_follow_prints_the_events_that_are_asked_for(audit: Command, log: Path) -> None:
    every = audit("show", log, "--follow")
    assert [json.loads(line)["seq"] for line in every.out.splitlines()] == list(range(1, 42))
    some = audit("show", log, "--follow", "--tool", "git.*")
    events = [json.loads(line) for line in some.out.splitlines()]
    assert {event["data"]["name"] for event in events} == {"git.log", "git.commit"}


# --- report -------------------------------------------------------------------------------------


@pytest.mark.spec("AUDIT 2.3")
def test_report_writes_a_page_and_says_where(audit: Command, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert audit("report", HISTORY, "-o", page) == Done(0, f"{page}\n", "")
    assert "git.commit" in page.read_text()
    audit("report", HISTORY, "-o", page, "--tool", "publish")
    assert '"name":"publish"' in page.read_text()
    assert '"name":"git.commit"' not in page.read_text()
    nowhere = audit("report", HISTORY, "-o", tmp_path / "missing" / "page.html")
    assert (nowhere.status, "No such file" in nowhere.err) == (2, True)


# --- export -------------------------------------------------------------------------------------


@pytest.mark.spec("AUDIT 1.2")
def test_an_export_and_an_import_give_the_same_bytes(audit: Command, tmp_path: Path) -> None:
    log, back = tmp_path / "log.sqlite", tmp_path / "back.jsonl"
    assert audit("export", HISTORY, log) == Done(0, f"{log}: 41 events\n", "")
    assert audit("export", log, back, "--session", "s_demo").status == 0
    assert back.read_bytes() == HISTORY.read_bytes()
    assert audit("verify", log).out == audit("verify", HISTORY).out


def test_an_export_of_a_session_that_is_not_there_leaves_no_file(
    audit: Command, tmp_path: Path
) -> None:
    target = tmp_path / "copy.jsonl"
    assert audit("export", HISTORY, target, "--session", "nobody").status == 2
    assert not target.exists()


def test_an_export_overwrites_nothing(audit: Command, log: Path, tmp_path: Path) -> None:
    before = log.read_bytes()
    done = audit("export", HISTORY, log)
    assert (done.status, "exists" in done.err) == (2, True)
    assert log.read_bytes() == before
    assert audit("export", log, tmp_path / "x.jsonl", "--session", "nobody").status == 2


@pytest.mark.spec("AUDIT 1.2")
def test_what_is_no_event_cannot_be_exported_unnoticed(
    audit: Command, log: Path, tmp_path: Path
) -> None:
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(HISTORY.read_bytes() + b'{"data":')
    done = audit("export", torn, tmp_path / "torn.sqlite")
    assert (done.status, "not copied: byte" in done.err) == (1, True)
    connection = sqlite3.connect(log)
    connection.execute("UPDATE event SET body = CAST('nonsense' AS BLOB) WHERE seq = 14")
    connection.commit()
    connection.close()
    done = audit("export", log, tmp_path / "broken.jsonl")
    assert (done.status, "event 14 of 's_demo' is no event" in done.err) == (2, True)


# --- prune --------------------------------------------------------------------------------------


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A journal of three runs: of 40 days ago, of 20 days ago, and of now."""
    path = tmp_path / "log.sqlite.journal"
    journal = SqliteJournal(path)
    for number, days in enumerate((40, 20, 0)):
        began = time.time() - days * 86_400
        run = JournalRun(
            session="s",
            call_id=f"c{number}",
            mode="full",
            began=began,
            program_sha256="ab" * 32,
            sdk_sha256="cd" * 32,
            grants_sha256="ef" * 32,
            seed=1,
            clock=began,
        )
        journal.begin(run, {})
        journal.add(run, "reply", f"value {number}", subject=1, at=0.0)
        journal.end(run)
    journal.close()
    return path


@pytest.mark.spec("AUDIT 3.1")
def test_prune_forgets_old_runs_and_says_how_many_stay(audit: Command, journal: Path) -> None:
    done = audit("prune", journal, "--older-than", "30d")
    assert done.status == 0
    assert "forgot 1 runs" in done.out
    assert done.out.endswith("; 2 stay\n")
    assert b"value 0" not in journal.read_bytes()
    assert b"value 1" in journal.read_bytes()
    again = json.loads(audit("prune", journal, "--older-than", "30d", "--json").out)
    assert (again["pruned"], again["left"], again["dry_run"]) == (0, 2, False)


@pytest.mark.spec("AUDIT 3.1")
def test_a_dry_run_forgets_nothing(audit: Command, journal: Path) -> None:
    done = json.loads(audit("prune", journal, "--older-than", "12h", "--dry-run", "--json").out)
    assert (done["pruned"], done["left"], done["dry_run"]) == (2, 1, True)
    assert b"value 0" in journal.read_bytes()
    assert "would forget 2 runs" in audit("prune", journal, "--older-than", "2w", "--dry-run").out


@pytest.mark.parametrize("age", ["", "30", "d", "-1d", "1y", "1d2h", "inf d"])
def test_an_age_is_a_number_and_a_unit(audit: Command, journal: Path, age: str) -> None:
    done = audit("prune", journal, f"--older-than={age}")
    assert (done.status, "such as 30d" in done.err) == (2, True)
    assert b"value 0" in journal.read_bytes()


def test_an_age_before_all_dates_forgets_nothing(audit: Command, journal: Path) -> None:
    done = audit("prune", journal, "--older-than", "99999999999w")
    assert (done.status, "longer ago than there are dates" in done.err) == (2, True)
    assert b"value 0" in journal.read_bytes()


def test_only_a_journal_is_pruned(audit: Command, log: Path, tmp_path: Path) -> None:
    before = log.read_bytes()
    for path in (log, tmp_path / "missing", tmp_path, HISTORY):
        assert audit("prune", path, "--older-than", "1s").status == 2
    assert log.read_bytes() == before
    assert not (tmp_path / "missing").exists()


@pytest.mark.spec("AUDIT 3.1")
def test_a_journal_that_cannot_be_changed_is_status_1(
    audit: Command, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: SqliteJournal, before: float) -> int:
        raise LogFullError(f"{journal}: the disk is full; free some space and go on")

    monkeypatch.setattr(SqliteJournal, "prune", full)
    done = audit("prune", journal, "--older-than", "1s")
    assert (done.status, str(journal) in done.err) == (1, True)
    store = SqliteJournal(journal, read_only=True)
    assert store.count() == 3
    store.close()
