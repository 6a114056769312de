"""The tree of scratch files: how a path is resolved, and what changes names.

It lives in the memory of one run's process and goes with it. It never touches the machine's own
files: a name that is not here does not exist. Source: path_resolution(7), rename(2), unlink(2).
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from codemode.sandbox.guest.scratch.nodes import Budget, File, Folder, Link, Node, failure

MAX_NAME_BYTES: Final = 255
MAX_PATH_BYTES: Final = 4096
MAX_LINKS: Final = 40
READ, WRITE, SEARCH = 4, 2, 1
_SPECIAL: Final = ("", ".", "..")


class Place(NamedTuple):
    """Where a path leads.

    Attributes:
        name: The last name; "", "." or ".." when the path has no proper last name.
        node: What is there; None when nothing is.
        is_folder_form: The path ends with a slash, so that only a folder will do.
    """

    folder: Folder
    name: str
    node: Node | None
    is_folder_form: bool


class Tree:
    """One run's files. Paths are text; errors carry the path as it was given.

    Attributes:
        clock: Gives seconds since the epoch; None is `time.time`, looked up at each use.
        cwd: The folder from which relative paths start.
        umask: Taken off the mode of everything that is made.
    """

    def __init__(self, budget: Budget, clock: Callable[[], float] | None = None) -> None:
        self.budget = budget
        self.umask = 0o022
        self.clock = clock
        self._next_ino = 1
        self.root = Folder(ino=1, mode=0o755, now=self.now(), parent=None, name="")
        self.cwd = self.root

    def now(self) -> int:
        """The run's time in nanoseconds since the epoch."""
        return int((time.time() if self.clock is None else self.clock()) * 1e9)

    def fresh_ino(self) -> int:
        """A number that no other node of this tree has."""
        self._next_ino += 1
        return self._next_ino

    # Resolution.

    def locate(self, path: str, *, follow: bool = True) -> Place:
        """What `path` leads to; with `follow`, also through a link in the last place.

        Raises:
            OSError: A folder on the way is missing, no folder, not searchable; or a loop of links.
        """
        place = self._walk(path, follow=follow or path.endswith("/"))
        if place.is_folder_form and not isinstance(place.node, Folder | None):
            raise failure(errno.ENOTDIR, path)
        return place

    def entry(self, path: str) -> Place:
        """The name that `path` ends in, for changes of names; never through a link in it."""
        return self._walk(path, follow=False)

    def _walk(self, path: str, *, follow: bool) -> Place:
        if not path:
            raise failure(errno.ENOENT, path)
        if len(path) >= MAX_PATH_BYTES:
            raise failure(errno.ENAMETOOLONG, path)
        folder = self.root if path[0] == "/" else self.cwd
        if folder is not self.root and folder.path() is None:
            raise failure(errno.ENOENT, path)
        is_folder_form = path[-1] == "/"
        todo = _names(path)
        links = 0
        place = Place(folder, "", folder, is_folder_form)
        while todo:
            name = todo.pop()
            if not folder.allows(SEARCH):
                raise failure(errno.EACCES, path)
            node = _child(folder, name, path)
            place = Place(folder, name, node, is_folder_form)
            if isinstance(node, Link) and (todo or follow):
                links += 1
                if links > MAX_LINKS:
                    raise failure(errno.ELOOP, path)
                if node.target[0] == "/":
                    folder = self.root
                    place = Place(folder, "", folder, is_folder_form)
                todo += _names(node.target)
            elif isinstance(node, Folder):
                folder = node
            elif todo:
                raise failure(errno.ENOENT if node is None else errno.ENOTDIR, path)
        return place

    def find(self, path: str, *, follow: bool = True) -> Node:
        """The node at `path`; FileNotFoundError when there is none."""
        node = self.locate(path, follow=follow).node
        if node is None:
            raise failure(errno.ENOENT, path)
        return node

    def exists(self, path: str) -> bool:
        """Whether `path` leads to something."""
        try:
            self.find(path)
        except FileNotFoundError:
            return False
        return True

    # Names.

    def _add(self, place: Place, path: str, node: Node) -> None:
        """Put `node` at an empty place, if the folder and the budget agree."""
        self._check_change(place, path)
        self.budget.add_file()
        self._enter(place.folder, place.name, node)

    def add_file(self, place: Place, path: str, mode: int) -> File:
        """Make an empty file at an empty place."""
        made = File(ino=self.fresh_ino(), mode=mode & ~self.umask & 0o7777, now=self.now())
        self._add(place, path, made)
        return made

    def make_folder(self, path: str, mode: int = 0o777) -> Folder:
        """mkdir(2)."""
        place = self.entry(path)
        if place.node is not None:
            raise failure(errno.EEXIST, path)
        made = Folder(
            ino=self.fresh_ino(),
            mode=mode & ~self.umask & 0o7777,
            now=self.now(),
            parent=place.folder,
            name=place.name,
        )
        self._add(place, path, made)
        place.folder.links += 1
        return made

    def make_link(self, target: str, path: str) -> None:
        """symlink(2)."""
        try:
            if not target:
                raise failure(errno.ENOENT)
            if len(target) >= MAX_PATH_BYTES:
                raise failure(errno.ENAMETOOLONG)
            place = self._place_for(path)
            link = Link(ino=self.fresh_ino(), now=self.now(), target=target)
            self._add(place, path, link)
        except OSError as error:
            raise _of_two(error, target, path) from None

    def make_hard_link(self, source: str, path: str) -> None:
        """link(2): a second name for one file, or for a symbolic link itself."""
        try:
            node = self.find(source, follow=False)
            place = self._place_for(path)
            if isinstance(node, Folder):
                raise failure(errno.EPERM)
            self._add(place, path, node)
            node.links += 1
            node.changed = self.now()
        except OSError as error:
            raise _of_two(error, source, path) from None

    def _place_for(self, path: str) -> Place:
        """An empty place for something that is no folder."""
        place = self.entry(path)
        if place.node is not None:
            raise failure(errno.EEXIST)
        if place.is_folder_form:
            raise failure(errno.ENOENT)
        return place

    def remove_file(self, path: str) -> None:
        """unlink(2)."""
        place = self.entry(path)
        if place.node is None:
            raise failure(errno.ENOENT, path)
        if isinstance(place.node, Folder):
            raise failure(errno.EISDIR, path)
        if place.is_folder_form:
            raise failure(errno.ENOTDIR, path)
        self._check_change(place, path)
        self._leave(place.folder, place.name)

    def remove_folder(self, path: str) -> None:
        """rmdir(2)."""
        place = self.entry(path)
        if place.node is None:
            raise failure(errno.ENOENT, path)
        if not isinstance(place.node, Folder):
            raise failure(errno.ENOTDIR, path)
        if place.name in _SPECIAL:
            code = {"": errno.EBUSY, ".": errno.EINVAL, "..": errno.ENOTEMPTY}[place.name]
            raise failure(code, path)
        if place.node.entries:
            raise failure(errno.ENOTEMPTY, path)
        self._check_change(place, path)
        self._leave(place.folder, place.name)

    def rename(self, source: str, target: str) -> None:
        """Move; replaces a file, or an empty folder, in one step."""
        try:
            self._rename(self.entry(source), self.entry(target))
        except OSError as error:
            raise _of_two(error, source, target) from None

    def _rename(self, old: Place, new: Place) -> None:
        node = old.node
        if old.name in _SPECIAL or new.name in _SPECIAL:
            raise failure(errno.EBUSY)
        if node is None:
            raise failure(errno.ENOENT)
        if isinstance(node, Folder):
            if new.folder.is_inside(node):
                raise failure(errno.EINVAL)
        elif old.is_folder_form or new.is_folder_form:
            raise failure(errno.ENOTDIR)
        if isinstance(new.node, Folder) and old.folder.is_inside(new.node):
            raise failure(errno.ENOTEMPTY)
        if new.node is node:
            return
        self._check_change(old, "")
        self._check_change(new, "")
        if new.node is not None:
            self._check_replaces(node, new.node)
            self._leave(new.folder, new.name)
        del old.folder.entries[old.name]
        old.folder.modified = old.folder.changed = self.now()
        self._enter(new.folder, new.name, node)
        if isinstance(node, Folder):
            old.folder.links -= 1
            new.folder.links += 1
            node.parent, node.name = new.folder, new.name

    @staticmethod
    def _check_replaces(node: Node, other: Node) -> None:
        if isinstance(node, Folder):
            if not isinstance(other, Folder):
                raise failure(errno.ENOTDIR)
            if other.entries:
                raise failure(errno.ENOTEMPTY)
        elif isinstance(other, Folder):
            raise failure(errno.EISDIR)

    def _check_change(self, place: Place, path: str) -> None:
        if not place.folder.allows(WRITE | SEARCH):
            raise failure(errno.EACCES, path)

    def _enter(self, folder: Folder, name: str, node: Node) -> None:
        folder.entries[name] = node
        folder.modified = folder.changed = self.now()

    def _leave(self, folder: Folder, name: str) -> None:
        node = folder.entries.pop(name)
        folder.modified = folder.changed = self.now()
        node.links -= 1
        node.changed = self.now()
        self.budget.files -= 1
        if isinstance(node, Folder):
            node.links = 0
            folder.links -= 1
        elif isinstance(node, File):
            self.release(node)

    def release(self, file: File) -> None:
        """Give a file's bytes back once it has no name and nobody has it open."""
        if file.links == 0 and file.opens == 0:
            file.resize(0, self.budget)

    def furnish(self, path: str) -> Folder:
        """Make a folder that every run starts with, and those on the way; counts as no files."""
        folder = self.root
        for name in path.strip("/").split("/"):
            found = folder.entries.get(name)
            if not isinstance(found, Folder):
                ino, now = self.fresh_ino(), self.now()
                found = Folder(ino=ino, mode=0o755, now=now, parent=folder, name=name)
                self._enter(folder, name, found)
                folder.links += 1
            folder = found
        return folder


def _names(path: str) -> list[str]:
    return [name for name in reversed(path.split("/")) if name]


def _child(folder: Folder, name: str, path: str) -> Node | None:
    if name == ".":
        return folder
    if name == "..":
        return folder.parent
    node = folder.entries.get(name)
    if node is None and len(name.encode("utf-8", "surrogateescape")) > MAX_NAME_BYTES:
        raise failure(errno.ENAMETOOLONG, path)
    return node


def _of_two(error: OSError, source: str, target: str) -> OSError:
    return failure(error.errno or errno.EIO, source, target, reason=error.strerror)
