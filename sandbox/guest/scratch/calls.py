"""The functions of `os` that stand on system calls, answered from the run's tree.

Same names, arguments and errors as the interpreter's; the standard library's own Python (pathlib,
shutil, tempfile, glob, zipfile, os.walk) runs unmodified on them. `dir_fd` is not to be had.
Source: the documentation of os.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING, Final

from codemode.sandbox.guest.scratch.mount import files, tree
from codemode.sandbox.guest.scratch.nodes import BLOCK_BYTES, File, Folder, Link, Node, failure
from codemode.sandbox.guest.scratch.paths import AnyPath, text
from codemode.sandbox.guest.scratch.tree import MAX_NAME_BYTES, READ, WRITE

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_OR_NUMBER: Final = "string, bytes, os.PathLike or integer"


def _no_dir_fd(dir_fd: int | None) -> None:
    if dir_fd is not None:
        raise NotImplementedError("dir_fd is not available in the sandbox; use a path")


def _node(path: AnyPath | int, function: str, *, follow: bool = True) -> Node:
    if isinstance(path, int):
        return files().get(path).node
    return tree().find(text(path, function, _OR_NUMBER), follow=follow)


def _like(path: object, name: str) -> str | bytes:
    return os.fsencode(name) if isinstance(path, bytes) else name


# What is where.


def stat(
    path: AnyPath | int, *, dir_fd: int | None = None, follow_symlinks: bool = True
) -> os.stat_result:
    """As os.stat."""
    _no_dir_fd(dir_fd)
    return _node(path, "stat", follow=follow_symlinks).status()


def lstat(path: AnyPath, *, dir_fd: int | None = None) -> os.stat_result:
    """As os.lstat."""
    _no_dir_fd(dir_fd)
    return tree().find(text(path, "lstat"), follow=False).status()


def access(
    path: AnyPath | int,
    mode: int,
    *,
    dir_fd: int | None = None,
    effective_ids: bool = False,
    follow_symlinks: bool = True,
) -> bool:
    """As os.access."""
    _no_dir_fd(dir_fd)
    try:
        return _node(path, "access", follow=follow_symlinks).allows(mode)
    except OSError:
        return False


def listdir(path: AnyPath | int | None = None) -> list[str] | list[bytes]:
    """As os.listdir; in the order in which the entries were made."""
    names = list(folder(path, "listdir").entries)
    return [os.fsencode(name) for name in names] if isinstance(path, bytes) else names


def folder(path: AnyPath | int | None, function: str) -> Folder:
    """The folder at `path` (None: here), if it may be listed."""
    path = "." if path is None else path
    shown = path if isinstance(path, int) else text(path, function, _OR_NUMBER)
    node = _node(path, function)
    if not isinstance(node, Folder):
        raise failure(errno.ENOTDIR, shown)
    if not node.allows(READ):
        raise failure(errno.EACCES, shown)
    return node


def readlink(path: AnyPath, *, dir_fd: int | None = None) -> str | bytes:
    """As os.readlink."""
    _no_dir_fd(dir_fd)
    name = text(path, "readlink")
    node = tree().find(name, follow=False)
    if not isinstance(node, Link):
        raise failure(errno.EINVAL, name)
    return _like(path, node.target)


def statvfs(path: AnyPath | int) -> os.statvfs_result:
    """As os.statvfs; the sizes are the run's limits."""
    _node(path, "statvfs")
    budget = tree().budget
    blocks = budget.max_bytes // BLOCK_BYTES
    free = (budget.max_bytes - budget.used_bytes) // BLOCK_BYTES
    spare = budget.max_files - budget.files
    numbers = (BLOCK_BYTES, BLOCK_BYTES, blocks, free, free)
    return os.statvfs_result((*numbers, budget.max_files, spare, spare, 0, MAX_NAME_BYTES))


# Where the program stands.


def getcwd() -> str:
    """As os.getcwd."""
    path = tree().cwd.path()
    if path is None:
        raise failure(errno.ENOENT)
    return path


def getcwdb() -> bytes:
    """As os.getcwdb."""
    return os.fsencode(getcwd())


def chdir(path: AnyPath | int) -> None:
    """As os.chdir."""
    node = _node(path, "chdir")
    shown = path if isinstance(path, int) else text(path)
    if not isinstance(node, Folder):
        raise failure(errno.ENOTDIR, shown)
    if not node.allows(1):
        raise failure(errno.EACCES, shown)
    tree().cwd = node


def umask(mask: int, /) -> int:
    """As os.umask."""
    before, tree().umask = tree().umask, mask & 0o777
    return before


# Changes of names.


def mkdir(path: AnyPath, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
    """As os.mkdir."""
    _no_dir_fd(dir_fd)
    tree().make_folder(text(path, "mkdir"), mode)


def rmdir(path: AnyPath, *, dir_fd: int | None = None) -> None:
    """As os.rmdir."""
    _no_dir_fd(dir_fd)
    tree().remove_folder(text(path, "rmdir"))


def unlink(path: AnyPath, *, dir_fd: int | None = None) -> None:
    """As os.unlink."""
    _no_dir_fd(dir_fd)
    tree().remove_file(text(path, "unlink"))


def remove(path: AnyPath, *, dir_fd: int | None = None) -> None:
    """As os.remove."""
    _no_dir_fd(dir_fd)
    tree().remove_file(text(path, "remove"))


def rename(
    src: AnyPath, dst: AnyPath, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None
) -> None:
    """As os.rename."""
    _no_dir_fd(src_dir_fd)
    _no_dir_fd(dst_dir_fd)
    tree().rename(text(src, "rename"), text(dst, "rename"))


def replace(
    src: AnyPath, dst: AnyPath, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None
) -> None:
    """As os.replace."""
    rename(src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)


def symlink(
    src: AnyPath, dst: AnyPath, target_is_directory: bool = False, *, dir_fd: int | None = None
) -> None:
    """As os.symlink."""
    _no_dir_fd(dir_fd)
    tree().make_link(text(src, "symlink"), text(dst, "symlink"))


def link(
    src: AnyPath,
    dst: AnyPath,
    *,
    src_dir_fd: int | None = None,
    dst_dir_fd: int | None = None,
    follow_symlinks: bool = True,
) -> None:
    """As os.link on Linux, where links in the last place are not followed either way."""
    _no_dir_fd(src_dir_fd)
    _no_dir_fd(dst_dir_fd)
    tree().make_hard_link(text(src, "link"), text(dst, "link"))


# Changes of what stat says.


def chmod(
    path: AnyPath | int, mode: int, *, dir_fd: int | None = None, follow_symlinks: bool = True
) -> None:
    """As os.chmod; the owner's bits are honoured."""
    _no_dir_fd(dir_fd)
    node = _node(path, "chmod", follow=follow_symlinks)
    node.mode = mode & 0o7777
    node.changed = tree().now()


def chown(
    path: AnyPath | int,
    uid: int,
    gid: int,
    *,
    dir_fd: int | None = None,
    follow_symlinks: bool = True,
) -> None:
    """As os.chown for a user who may not give files away."""
    _no_dir_fd(dir_fd)
    status = _node(path, "chown", follow=follow_symlinks).status()
    if uid not in (-1, status.st_uid) or gid not in (-1, status.st_gid):
        raise failure(errno.EPERM, path if isinstance(path, int) else text(path))


def utime(
    path: AnyPath | int,
    times: tuple[float, float] | None = None,
    *,
    ns: tuple[int, int] | None = None,
    dir_fd: int | None = None,
    follow_symlinks: bool = True,
) -> None:
    """As os.utime."""
    _no_dir_fd(dir_fd)
    if times is not None and ns is not None:
        raise ValueError("utime: you may specify either 'times' or 'ns' but not both")
    node = _node(path, "utime", follow=follow_symlinks)
    now = tree().now()
    if ns is not None:
        node.accessed, node.modified = ns
    elif times is not None:
        node.accessed, node.modified = (int(time * 10**9) for time in times)
    else:
        node.accessed = node.modified = now
    node.changed = now


def truncate(path: AnyPath | int, length: int) -> None:
    """As os.truncate."""
    if isinstance(path, int):
        files().truncate(path, length)
        return
    name = text(path, "truncate")
    if length < 0:
        raise failure(errno.EINVAL, name)
    node = tree().find(name)
    if not isinstance(node, File):
        raise failure(errno.EISDIR if isinstance(node, Folder) else errno.EINVAL, name)
    if not node.allows(WRITE):
        raise failure(errno.EACCES, name)
    files().resize(node, length)


# Open files.


def open(path: AnyPath, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
    """As os.open."""
    _no_dir_fd(dir_fd)
    return files().open(text(path, "open"), flags, mode)


def close(fd: int) -> None:
    """As os.close."""
    files().close(fd)


def closerange(fd_low: int, fd_high: int, /) -> None:
    """As os.closerange."""
    files().close_range(fd_low, fd_high)


def read(fd: int, length: int, /) -> bytes:
    """As os.read."""
    if length < 0:
        raise failure(errno.EINVAL)
    return files().read(fd, length)


def write(fd: int, data: ReadableBuffer, /) -> int:
    """As os.write; 1 and 2 are the program's output."""
    with memoryview(data) as view, view.cast("B") as octets:
        stream = {1: sys.stdout, 2: sys.stderr}.get(fd)
        if stream is None:
            return files().write(fd, octets)
        stream.write(bytes(octets).decode(errors="backslashreplace"))
        return len(octets)


def pread(fd: int, length: int, offset: int, /) -> bytes:
    """As os.pread."""
    if length < 0 or offset < 0:
        raise failure(errno.EINVAL)
    return files().read(fd, length, position=offset)


def pwrite(fd: int, data: ReadableBuffer, offset: int, /) -> int:
    """As os.pwrite."""
    if offset < 0:
        raise failure(errno.EINVAL)
    with memoryview(data) as view, view.cast("B") as octets:
        return files().write(fd, octets, position=offset)


def lseek(fd: int, position: int, whence: int, /) -> int:
    """As os.lseek."""
    return files().seek(fd, position, whence)


def fstat(fd: int) -> os.stat_result:
    """As os.fstat."""
    return files().get(fd).node.status()


def fstatvfs(fd: int, /) -> os.statvfs_result:
    """As os.fstatvfs."""
    return statvfs(fd)


def fchmod(fd: int, mode: int) -> None:
    """As os.fchmod."""
    chmod(fd, mode)


def fchdir(fd: int) -> None:
    """As os.fchdir."""
    chdir(fd)


def ftruncate(fd: int, length: int, /) -> None:
    """As os.ftruncate."""
    files().truncate(fd, length)


def dup(fd: int, /) -> int:
    """As os.dup."""
    return files().duplicate(fd)


def fsync(fd: int) -> None:
    """As os.fsync: there is nothing below to wait for."""
    files().get(fd)


def fdatasync(fd: int) -> None:
    """As os.fdatasync: there is nothing below to wait for."""
    files().get(fd)


def sync() -> None:
    """As os.sync: there is nothing below to wait for."""


def isatty(fd: int, /) -> bool:
    """As os.isatty: nothing here is a terminal."""
    return False
