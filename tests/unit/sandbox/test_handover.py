"""Files that a guest hands over are judged before they are kept."""

from __future__ import annotations

import pytest

from codemode.sandbox.bridge.messages import Artifact
from codemode.sandbox.handover import Handover
from codemode.sandbox.limits import Limits


def handover(*wanted: str) -> Handover:
    made = Handover(Limits(scratch_files=2, scratch_bytes=10))
    made.wanted = wanted or ("**",)
    return made


@pytest.mark.spec("SANDBOX 3.1")
def test_what_was_asked_for_is_kept_up_to_the_limits() -> None:
    files = handover()
    assert files.take(Artifact(path="a/b", data=b"12345")) is None
    assert files.take(Artifact(path="c", data=b"12345")) is None
    assert files.files == {"a/b": b"12345", "c": b"12345"}
    failure = files.take(Artifact(path="d", data=b""))
    assert failure is not None
    assert (failure.kind, failure.limit) == ("limit", "scratch_files")


def test_too_many_bytes_are_the_other_limit() -> None:
    failure = handover().take(Artifact(path="a", data=b"x" * 11))
    assert failure is not None
    assert (failure.kind, failure.limit) == ("limit", "scratch_bytes")


@pytest.mark.parametrize("path", ["../a", "a/../b", "..", "a\0"])
def test_a_path_that_leads_elsewhere_ends_the_run(path: str) -> None:
    files = handover()
    failure = files.take(Artifact(path=path, data=b""))
    assert failure is not None
    assert failure.kind == "violation"
    assert not files.files


@pytest.mark.spec("SANDBOX 5.5")
@pytest.mark.parametrize(
    ("glob", "path", "is_taken"),
    [
        ("**", "a/b/c", True),
        ("**", "/etc/a", False),
        ("/**", "/etc/a", True),
        ("/tmp/*.txt", "/tmp/a.txt", True),
        ("/tmp/*.txt", "tmp/a.txt", False),
        ("*.csv", "a.csv", True),
        ("*.csv", "b/a.csv", False),
        ("*.csv", "a.csv.py", False),
        ("out/**/*.csv", "out/a.csv", True),
        ("out/**/*.csv", "out/b/c/a.csv", True),
        ("out/**/*.csv", "b/out/a.csv", False),
        ("./out//a[0-9]?.txt", "./out//a12.txt", True),
        ("**/b/**/c", "b/x/b/c", True),
        ("**/b/**/c", "b/x/d", False),
        ("a", "", False),
        ("**", "/", False),
    ],
)
def test_only_what_a_glob_finds_was_asked_for(glob: str, path: str, is_taken: bool) -> None:
    failure = handover("other", glob).take(Artifact(path=path, data=b""))
    assert (failure is None) is is_taken


def test_a_file_that_nobody_asked_for_ends_the_run() -> None:
    files = Handover(Limits())
    failure = files.take(Artifact(path="a", data=b""))
    assert failure is not None
    assert failure.kind == "violation"
    assert not files.files
