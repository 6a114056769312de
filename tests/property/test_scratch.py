"""The scratch tree and a real folder answer the same calls with the same results and errors."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from codemode.sandbox.guest.scratch import calls, files, mount, run, scan
from codemode.sandbox.guest.scratch.nodes import File, Folder, Node
from codemode.sandbox.marks import override

SHORT_NAMES = st.sampled_from(
    ["a", "b", "d", "d/a", "d/e", "d/e/a", "d/e/f", "l", "l/a", "m", "a/", "d/", "d/.", "d/..",
     "d/../b", "d/e/../a", "l/", "missing/a", "", "d//a", "./a"]
)  # fmt: skip
NAMES = SHORT_NAMES | st.just("n" * 256)
#: Deep enough that no chain of links and dots leaves the folder.
DEEP = "/1/2/3/4/5/6"
MODES = st.sampled_from(
    ["r", "w", "a", "x", "r+", "w+", "a+", "x+", "rb", "wb", "ab", "xb", "r+b", "w+b", "a+b", "x+b"]
)
SIZES = st.integers(-2, 40)
TEXT = st.text("ab\né☃\r", max_size=30)


def result_of(call: Callable[[], object]) -> object:
    """What a call gives, or the parts of its error that a program can see."""
    try:
        return call()
    except OSError as error:
        return type(error), error.errno, error.strerror or str(error)
    except ValueError as error:
        return type(error), str(error).rstrip(".")


class Twins(RuleBasedStateMachine):
    """Every rule makes one call on both sides."""

    handles = Bundle("handles")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        os.chmod(self.folder, 0o755)
        os.makedirs(self.folder + DEEP)
        self.files = run.build(max_bytes=1 << 20, max_files=500, inputs={}, cwd="/scratch" + DEEP)
        self.before = mount.mount(self.files)
        self.opened: list[tuple[Any, Any]] = []

    @override
    def teardown(self) -> None:
        for pair in self.opened:
            self.on(pair, lambda file: file.close())
        mount.mount(self.before)
        shutil.rmtree(self.folder)

    def real(self, name: str) -> str:
        return f"{self.folder}{DEEP}/{name}"

    def same(self, real: Callable[[], Any], scratch: Callable[[], Any]) -> None:
        assert result_of(scratch) == result_of(real)

    def same_of(self, function: str, *names: str, extra: tuple[object, ...] = ()) -> None:
        real, scratch = getattr(os, function), getattr(calls, function)
        self.same(
            lambda: real(*map(self.real, names), *extra),
            lambda: scratch(*(scratch_path(name) for name in names), *extra),
        )

    @rule(target=handles, name=NAMES, mode=MODES, buffering=st.sampled_from([-1, 0, 1, 2, 5]))
    def open(self, name: str, mode: str, buffering: int) -> tuple[Any, Any] | None:
        if "b" in mode and buffering == 1:
            buffering = -1
        encoding = None if "b" in mode else "utf-8"
        real = result_of(lambda: open(self.real(name), mode, buffering, encoding))  # noqa: SIM115
        scratch = result_of(lambda: files.open(scratch_path(name), mode, buffering, encoding))
        if isinstance(real, tuple) or isinstance(scratch, tuple):
            assert scratch == real
            return None
        self.opened.append((real, scratch))
        return real, scratch

    @rule(pair=handles, text=TEXT)
    def write(self, pair: Any, text: str) -> None:
        self.on(pair, lambda file: file.write(text if "b" not in file.mode else text.encode()))

    @rule(pair=handles, size=SIZES)
    def read(self, pair: Any, size: int) -> None:
        self.on(pair, lambda file: file.read(max(size, -1)))

    @rule(pair=handles)
    def readline(self, pair: Any) -> None:
        self.on(pair, lambda file: file.readline())

    @rule(pair=handles, offset=SIZES, whence=st.integers(0, 2))
    def seek(self, pair: Any, offset: int, whence: int) -> None:
        self.on(pair, lambda file: file.seek(offset, whence))

    @rule(pair=handles)
    def tell(self, pair: Any) -> None:
        self.on(pair, lambda file: file.tell())

    @rule(pair=handles, size=st.none() | SIZES)
    def truncate(self, pair: Any, size: int | None) -> None:
        self.on(pair, lambda file: file.truncate(size))

    @rule(pair=handles)
    def flush(self, pair: Any) -> None:
        self.on(pair, lambda file: file.flush())

    @rule(pair=handles)
    def ask(self, pair: Any) -> None:
        self.on(
            pair, lambda file: (file.readable(), file.writable(), file.seekable(), file.isatty())
        )
        self.on(pair, lambda file: (file.mode, type(file).__name__, file.closed))

    @rule(pair=consumes(handles))
    def close(self, pair: Any) -> None:
        self.on(pair, lambda file: file.close())

    def on(self, pair: Any, act: Callable[[Any], object]) -> None:
        if pair is not None:
            self.same(lambda: act(pair[0]), lambda: act(pair[1]))

    @rule(name=NAMES, mode=st.sampled_from([0o777, 0o700]))
    def mkdir(self, name: str, mode: int) -> None:
        self.same_of("mkdir", name, extra=(mode,))

    @rule(name=NAMES, function=st.sampled_from(["rmdir", "unlink", "remove"]))
    def remove(self, name: str, function: str) -> None:
        self.same_of(function, name)

    @rule(
        source=SHORT_NAMES, to=SHORT_NAMES, function=st.sampled_from(["rename", "replace", "link"])
    )
    def two_names(self, source: str, to: str, function: str) -> None:
        self.same_of(function, source, to)

    @rule(
        source=st.sampled_from(["a", "d", "d/a", "l", "missing", "..", "d/e", "../d", "."]),
        name=NAMES,
    )
    def symlink(self, source: str, name: str) -> None:
        self.same(
            lambda: os.symlink(source, self.real(name)),
            lambda: calls.symlink(source, scratch_path(name)),
        )

    @rule(name=NAMES)
    def readlink(self, name: str) -> None:
        self.same_of("readlink", name)

    @rule(name=NAMES, size=SIZES)
    def truncate_name(self, name: str, size: int) -> None:
        self.same_of("truncate", name, extra=(size,))

    @rule(name=NAMES)
    def look(self, name: str) -> None:
        self.same(
            lambda: sorted(os.listdir(self.real(name))),
            lambda: sorted(calls.listdir(scratch_path(name))),
        )
        for function in ("stat", "lstat"):
            real, scratch = getattr(os, function), getattr(calls, function)
            self.same(
                lambda: facts(real(self.real(name))),  # noqa: B023
                lambda: facts(scratch(scratch_path(name))),  # noqa: B023
            )
        self.same_of("access", name, extra=(os.R_OK | os.W_OK,))

    @rule(name=NAMES)
    def scan(self, name: str) -> None:
        self.same(
            lambda: sorted(map(entry_facts, os.scandir(self.real(name)))),
            lambda: sorted(map(entry_facts, scan.scandir(scratch_path(name)))),
        )

    @invariant()
    def the_budget_is_what_is_kept(self) -> None:
        files = [node for node in everything(self.files.tree.root) if isinstance(node, File)]
        opened = [file.node for file in self.files.opened() if isinstance(file.node, File)]
        kept = {id(file): file.size for file in [*files, *opened]}
        assert self.files.tree.budget.used_bytes == sum(kept.values())


def scratch_path(name: str) -> str:
    """Where the tree has what a real folder has under `name`."""
    return f"/scratch{DEEP}/{name}"


def facts(status: os.stat_result) -> tuple[int, int, int]:
    """What must agree: folder sizes and times do not."""
    is_folder = stat.S_ISDIR(status.st_mode)
    return status.st_mode, status.st_nlink, -1 if is_folder else status.st_size


def entry_facts(entry: Any) -> tuple[object, ...]:
    """What a scanned entry says of itself."""
    return (
        entry.name, entry.is_dir(), entry.is_file(), entry.is_symlink(),
        entry.is_dir(follow_symlinks=False), entry.is_file(follow_symlinks=False),
        facts(entry.stat(follow_symlinks=False)),
    )  # fmt: skip


def everything(folder: Folder) -> list[Node]:
    """All nodes below a folder."""
    found: list[Node] = []
    for node in folder.entries.values():
        found.append(node)
        if isinstance(node, Folder):
            found += everything(node)
    return found


Twins.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
test_twins = pytest.mark.spec("SANDBOX 5.5")(Twins.TestCase)
