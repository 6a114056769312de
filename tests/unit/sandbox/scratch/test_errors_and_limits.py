"""What is refused: errors as the interpreter words them, limits that name themselves."""

from __future__ import annotations

import errno
import gc
import io
import os
import platform
import pwd
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from codemode.sandbox.guest.scratch import collect, limit_of, notices, run
from codemode.sandbox.guest.scratch.descriptors import MAX_OPEN, Descriptors

pytestmark = pytest.mark.spec("SANDBOX 5.5")


_NO_ENTRY = "[Errno 2] No such file or directory:"
_PATHS = "string, bytes, os.PathLike or integer"
_ERRORS = [
    ("open('nope')", FileNotFoundError, f"{_NO_ENTRY} 'nope'"),
    ("open('/etc/passwd')", FileNotFoundError, f"{_NO_ENTRY} '/etc/passwd'"),
    ("open('no/x', 'w')", FileNotFoundError, f"{_NO_ENTRY} 'no/x'"),
    ("open('in')", IsADirectoryError, "[Errno 21] Is a directory: 'in'"),
    ("open('in', 'w')", IsADirectoryError, "[Errno 21] Is a directory: 'in'"),
    ("open('in/a.csv', 'x')", FileExistsError, "[Errno 17] File exists: 'in/a.csv'"),
    ("open('in/a.csv/b')", NotADirectoryError, "[Errno 20] Not a directory: 'in/a.csv/b'"),
    ("open(3)", OSError, "[Errno 9] Bad file descriptor"),
    ("open('x', 'rz')", ValueError, "invalid mode: 'rz'"),
    (
        "open('x', 'wb', encoding='utf-8')",
        ValueError,
        "binary mode doesn't take an encoding argument",
    ),
    ("open('x', 'w', 0)", ValueError, "can't have unbuffered text I/O"),
    ("open('x\\0')", ValueError, "embedded null byte"),
    ("open(None)", TypeError, "expected str, bytes or os.PathLike object, not NoneType"),
    ("os.stat(None)", TypeError, f"stat: path should be {_PATHS}, not NoneType"),
    ("os.mkdir('in')", FileExistsError, "[Errno 17] File exists: 'in'"),
    ("os.rmdir('in')", OSError, "[Errno 39] Directory not empty: 'in'"),
    ("os.remove('in')", IsADirectoryError, "[Errno 21] Is a directory: 'in'"),
    ("os.listdir('in/a.csv')", NotADirectoryError, "[Errno 20] Not a directory: 'in/a.csv'"),
    ("os.rename('a', 'b')", FileNotFoundError, f"{_NO_ENTRY} 'a' -> 'b'"),
    ("os.chdir('in/a.csv')", NotADirectoryError, "[Errno 20] Not a directory: 'in/a.csv'"),
    ("shutil.rmtree('nope')", FileNotFoundError, f"{_NO_ENTRY} 'nope'"),
    ("Path('nope').read_text()", FileNotFoundError, f"{_NO_ENTRY} 'nope'"),
    ("open('in/a.csv').write('')", io.UnsupportedOperation, "not writable"),
    ("open('in/a.csv', 'ab').read()", io.UnsupportedOperation, "read"),
]


@pytest.mark.usefixtures("scratch")
@pytest.mark.parametrize(("expression", "kind", "message"), _ERRORS)
def test_errors_read_as_the_interpreters(
    expression: str, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as caught:
        eval(expression, {"os": os, "shutil": shutil, "Path": Path})
    assert type(caught.value) is kind
    assert str(caught.value) == message


@pytest.mark.usefixtures("scratch")
@pytest.mark.parametrize("name", ["system", "popen", "fork", "execv", "kill", "pipe", "spawnl"])
def test_processes_are_refused_with_the_way_that_is_open(name: str) -> None:
    with pytest.raises(PermissionError, match="starts no processes; call the tools"):
        getattr(os, name)("ls")


@pytest.mark.usefixtures("scratch")
def test_nothing_of_the_machine_or_its_users_is_told() -> None:
    assert (os.getpid(), os.getuid(), os.cpu_count()) == (2, 1000, 1)
    assert platform.node() == os.uname().nodename == "sandbox"
    assert dict(os.environ) == {}
    assert os.getenv("PATH") is None
    assert [user.pw_name for user in pwd.getpwall()] == ["user"]
    os.environ["COLOUR"] = "x"
    assert os.getenv("COLOUR") == "x"
    del os.environ["COLOUR"]


@pytest.mark.usefixtures("scratch")
def test_permissions_of_the_owner_are_honoured() -> None:
    Path("secret").write_text("x")
    os.chmod("secret", 0o400)
    with pytest.raises(PermissionError, match=r"\[Errno 13\] Permission denied: 'secret'"):
        Path("secret").write_text("y")
    os.mkdir("closed")
    os.chmod("closed", 0o500)
    with pytest.raises(PermissionError):
        Path("closed/x").touch()
    assert os.access("secret", os.R_OK)
    assert not os.access("secret", os.W_OK)


@pytest.mark.spec("SANDBOX 3.1")
def test_passing_the_bytes_names_the_limit(scratch: Descriptors) -> None:
    with (
        pytest.raises(OSError, match=r"Limits\(scratch_bytes=") as caught,
        open("big", "wb", 0) as file,
    ):
        file.writelines(bytes(100_000) for _ in range(100))
    assert caught.value.errno == errno.ENOSPC
    assert limit_of(caught.value) == "scratch_bytes"
    assert scratch.tree.budget.used_bytes <= 1 << 20
    os.remove("big")
    Path("small").write_bytes(bytes(900_000))


HOLES: list[Callable[[io.FileIO], object]] = [
    lambda file: file.truncate(10**12),
    lambda file: (file.seek(10**15), file.write(b"x")),
    lambda file: os.pwrite(file.fileno(), b"x", 2**62),
    lambda file: os.truncate("sparse", 10**12),
]


@pytest.mark.spec("SANDBOX 3.1")
@pytest.mark.usefixtures("scratch")
@pytest.mark.parametrize("call", HOLES)
def test_a_hole_is_counted_before_it_is_allocated(call: Callable[[io.FileIO], object]) -> None:
    with open("sparse", "wb", 0) as file:
        with pytest.raises(OSError, match="scratch_bytes"):
            call(file)
        assert os.path.getsize("sparse") == 0


@pytest.mark.spec("SANDBOX 3.1")
@pytest.mark.usefixtures("scratch")
def test_passing_the_number_of_files_names_the_limit() -> None:
    with pytest.raises(OSError, match=r"Limits\(scratch_files=") as caught:
        list(map(Path.touch, map(Path, map(str, range(200)))))
    assert caught.value.errno == errno.ENOSPC
    assert limit_of(caught.value) == "scratch_files"
    assert limit_of(OSError(errno.ENOSPC, "No space left on device")) is None
    os.remove("0")
    os.mkdir("room for one")
    with pytest.raises(OSError, match="scratch_files"):
        os.symlink("1", "and no more")


@pytest.mark.spec("SANDBOX 3.1")
@pytest.mark.usefixtures("scratch")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_a_dropped_file_lost_is_noticed_though_no_error_was_seen() -> None:
    assert notices() == ()
    open("big", "wb", 1 << 22).write(bytes((1 << 20) + 1))  # noqa: SIM115 - dropped on purpose
    gc.collect()
    assert os.path.getsize("big") == 0
    assert ["Limits(scratch_bytes=" in notice for notice in notices()] == [True]


@pytest.mark.usefixtures("scratch")
def test_open_files_are_limited_too() -> None:
    with ExitStack() as stack, pytest.raises(OSError, match="Too many open files"):
        list(map(stack.enter_context, (Path("in/a.csv").open() for _ in range(MAX_OPEN + 1))))  # noqa: SIM115
    assert Path("in/a.csv").read_text()


def test_a_deleted_file_is_kept_while_it_is_open(scratch: Descriptors) -> None:
    before = scratch.tree.budget.used_bytes
    with open("gone", "w+") as file:
        file.write("still here")
        os.remove("gone")
        file.seek(0)
        assert file.read() == "still here"
        assert scratch.tree.budget.used_bytes == before + 10
    assert scratch.tree.budget.used_bytes == before


@pytest.mark.usefixtures("scratch")
def test_artifacts_are_read_back_by_pattern_and_with_what_was_left_unflushed() -> None:
    os.makedirs("out/deep")
    Path("out/deep/.hidden").write_text("h")
    Path("/tmp/t").write_text("t")
    left_open = open("out/report.txt", "w")  # noqa: SIM115
    left_open.write("not flushed")
    os.chdir("/tmp")
    assert collect(["out/*.txt", "out/**", "/tmp/*", "nothing*"]) == {
        "out/report.txt": b"not flushed",
        "out/deep/.hidden": b"h",
        "/tmp/t": b"t",
    }
    left_open.close()


def test_inputs_that_pass_a_limit_or_collide_are_an_error() -> None:
    with pytest.raises(OSError, match="scratch_bytes"):
        run.build(max_bytes=10, max_files=10, inputs={"a": bytes(11)})
    with pytest.raises(OSError, match="scratch_files"):
        run.build(max_bytes=10, max_files=2, inputs={"a/b/c": b""})
    with pytest.raises(NotADirectoryError):
        run.build(max_bytes=10, max_files=10, inputs={"a": b"", "a/b": b""})


def test_times_come_from_the_runs_clock() -> None:
    files = run.build(max_bytes=10, max_files=10, inputs={"a": b"1"}, clock=lambda: 12.5)
    with run.installed(files):
        assert os.path.getmtime("a") == 12.5
        os.mkdir("d")
        assert os.stat("d").st_mtime_ns == 12_500_000_000
