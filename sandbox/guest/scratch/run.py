"""One run's tree: made and put in place before the program starts, read back after its end."""

from __future__ import annotations

import codecs
import glob
import os
import posixpath
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

from codemode.sandbox.guest.scratch import mount, overlay
from codemode.sandbox.guest.scratch.descriptors import Descriptors
from codemode.sandbox.guest.scratch.machine import HOME
from codemode.sandbox.guest.scratch.nodes import Budget, File, Null
from codemode.sandbox.guest.scratch.temporary import NAMES
from codemode.sandbox.guest.scratch.tree import Tree
from codemode.sandbox.guest.scratch.views import OFFERED

CWD: Final = "/scratch"
#: Encodings that programs name; a jailed guest cannot import them any more.
_ENCODINGS: Final = """
    ascii latin-1 utf-8 utf-8-sig utf-16 utf-16-le utf-16-be utf-32 utf-32-le utf-32-be cp1252
    cp437 iso8859-15
"""


class _Image:
    """What the fork server made ready, so that a guest has only to touch it."""

    def __init__(self) -> None:
        self.plan: overlay.Plan | None = None
        self.real: overlay.Plan | None = None
        self.files: Descriptors | None = None
        self.is_covered = False


_image: Final = _Image()


def prepare() -> None:
    """Make ready what every guest needs. In the fork server, after its imports.

    Nothing is replaced yet: the real `os` and `open` are in place.
    """
    for encoding in _ENCODINGS.split():
        codecs.lookup(encoding)
    for module in OFFERED:
        import_module(module)
    overlay.keep_real()
    _image.plan = overlay.plan()
    _image.real = overlay.current(_image.plan)
    _image.files = _furnished()


def refurnish() -> None:
    """Have a fresh tree ready for the next `install`, in place of one that was used."""
    _image.files = _furnished()


def cover() -> None:
    """Put the tree's functions into the standard library; idempotent.

    The fork server may do it once nothing of its own needs the real `open` or `os.path` any more,
    which spares every guest some hundred page faults; `install` does it otherwise. The sandbox's
    own modules go on with the real `os`; everybody else knows the tree alone from here on.
    """
    if _image.is_covered:
        return
    if _image.plan is None:
        prepare()
    overlay.apply(_image.plan or ())
    _image.is_covered = True


def uncover() -> None:
    """Give the real functions back: for a program that is to meet the kernel's own answers."""
    if _image.is_covered and _image.real is not None:
        overlay.apply(_image.real)
        _image.is_covered = False


def install(
    *,
    max_bytes: int,
    max_files: int,
    inputs: Mapping[str, bytes],
    cwd: str = CWD,
    seed: int | None = None,
    clock: Callable[[], float] | None = None,
) -> None:
    """Give this process a fresh tree, under its standard library, for good.

    The arguments are those of `build`; `seed` fixes the names of temporary files.
    """
    cover()
    files = build(max_bytes=max_bytes, max_files=max_files, inputs=inputs, cwd=cwd, clock=clock)
    mount.mount(files)
    NAMES.restart(seed)


def build(
    *,
    max_bytes: int,
    max_files: int,
    inputs: Mapping[str, bytes],
    cwd: str = CWD,
    clock: Callable[[], float] | None = None,
) -> Descriptors:
    """A tree with /tmp, a home, an empty working directory and the input files.

    Args:
        max_bytes: Of all files together, inputs included.
        max_files: Files, folders and links, without those that every run starts with.
        inputs: Content by path, absolute or from `cwd`; folders on the way are made.
        cwd: The working directory, absolute.
        clock: Seconds since the epoch, for the times of files; by default `time.time`.

    Raises:
        OSError: The inputs pass a limit, or a path of theirs cannot be.
    """
    files, _image.files = _image.files or _furnished(), None
    tree = files.tree
    tree.budget.max_bytes, tree.budget.max_files = max_bytes, max_files
    tree.clock = clock
    if cwd != CWD:
        tree.cwd = tree.furnish(cwd)
    for path, content in inputs.items():
        _make_folders(tree, posixpath.dirname(path))
        number = files.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        files.write(number, memoryview(content))
        files.close(number)
    return files


def _furnished() -> Descriptors:
    """What every run starts with. Its times are 0, so that they do not depend on the image."""
    tree = Tree(Budget(max_bytes=0, max_files=0), clock=float)
    null = Null(ino=tree.fresh_ino(), mode=0o666, now=0)
    tree.furnish("/dev").entries["null"] = null
    tree.furnish(HOME)
    tree.furnish("/tmp")  # noqa: S108 - in the tree
    tree.cwd = tree.furnish(CWD)
    return Descriptors(tree)


def _make_folders(tree: Tree, path: str) -> None:
    missing: list[str] = []
    while path and not tree.exists(path):
        missing.append(path)
        path = posixpath.dirname(path)
    for folder in reversed(missing):
        tree.make_folder(folder)


@contextmanager
def installed(files: Descriptors, *, seed: int | None = None) -> Generator[Descriptors]:
    """Have `files` under the standard library for a while; for tests, which must go on after."""
    plan = overlay.plan()
    real = overlay.current(plan)
    before = mount.mount(files)
    NAMES.restart(seed)
    overlay.apply(plan)
    try:
        yield files
    finally:
        overlay.apply(real)
        mount.mount(before)


def collect(globs: Sequence[str]) -> dict[str, bytes]:
    """The content of the files that match; flushes what the program left open first.

    Args:
        globs: Absolute, or from the first working directory; `**` goes through folders.

    Raises:
        OSError: What was left to write passes a limit.
    """
    files = mount.files()
    files.flush()
    found: dict[str, bytes] = {}
    for pattern in globs:
        for path in glob.glob(pattern, root_dir=CWD, recursive=True, include_hidden=True):
            node = files.tree.find(posixpath.join(CWD, path))
            if isinstance(node, File):
                found[path] = bytes(node.data)
    return found


def limit_of(error: BaseException) -> str | None:
    """Which limit `error` says was passed: "scratch_bytes", "scratch_files", or None."""
    if not isinstance(error, OSError):
        return None
    reason = _REASON.__get__(error)  # its own, not what a class of the program's says
    return mount.tree().budget.refused.get(reason) if type(reason) is str else None


_REASON: Final[Any] = vars(OSError)["strerror"]


def notices() -> tuple[str, ...]:
    """A message for each limit that was passed, seen by the program or not.

    A file that is dropped before it is closed loses what does not fit without any error.
    """
    return tuple(mount.tree().budget.refused)
