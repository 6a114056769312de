"""Looking through a folder: the files that a glob names, the lines that a pattern is found in.

Links are not followed, ignored files are left out, and everything has a bound that is said when it
is reached. Runs in a worker thread and looks at the cancel signal between files.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from typing_extensions import TypedDict

from codemode.runtime.errors import ToolError
from codemode.runtime.toolsets.files.ignore import ALWAYS, IGNORE_FILES, Rule, is_ignored, parse
from codemode.runtime.toolsets.files.patterns import Pattern, PatternError, glob_expression
from codemode.runtime.toolsets.files.root import Root, open_regular

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MAX_DEPTH: Final = 100
_MAX_FILES: Final = 200_000
_MAX_IGNORE_BYTES: Final = 1 << 20
_MAX_LINE: Final = 500
#: A file with a NUL here is no text; the same rule as git's.
_SNIFF: Final = 8_000


class Paths(TypedDict):
    """The files that a glob names."""

    paths: list[str]
    truncated: bool


class Match(TypedDict):
    """A line that a pattern was found in; long lines are cut."""

    path: str
    line: int
    text: str


class Matches(TypedDict):
    """The lines that a pattern was found in."""

    matches: list[Match]
    files_searched: int
    files_skipped: int
    truncated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A regular file on the way.

    Attributes:
        folder: Descriptor of its folder; open until the next one is taken.
        path: Relative to the root.
    """

    folder: int
    name: str
    path: str


class Search:
    """Searches below one root.

    Args:
        check: Raises when the search is to end early; called for each file.
    """

    def __init__(self, root: Root, *, max_file_bytes: int, check: Callable[[], None]) -> None:
        self._root = root
        self._max_file_bytes = max_file_bytes
        self._check = check
        self._seen = 0

    def glob(self, pattern: str, start: str, *, limit: int) -> Paths:
        """Files whose path below `start` fits `pattern`, in order of path.

        Raises:
            ToolError: The pattern is malformed, or `start` is no folder.
        """
        fits = _glob(pattern)
        paths: list[str] = []
        for found, below in self._below(start):
            if fits.matches(below):
                if len(paths) == limit:
                    return {"paths": paths, "truncated": True}
                paths.append(found.path)
        return {"paths": paths, "truncated": self._is_cut}

    def grep(
        self, pattern: str, start: str, *, glob: str | None, ignore_case: bool, limit: int
    ) -> Matches:
        """Lines below `start`, or of the file `start`, that `pattern` is found in.

        Raises:
            ToolError: A pattern is malformed, or there is no `start`.
        """
        try:
            wanted = Pattern(pattern, ignore_case=ignore_case)
        except PatternError as error:
            raise ToolError(f"pattern: {error}") from None
        fits = None if glob is None else _glob(glob)
        result: Matches = {
            "matches": [], "files_searched": 0, "files_skipped": 0, "truncated": False,
        }  # fmt: skip
        for found, below in self._below(start):
            if fits is not None and not fits.matches(below):
                continue
            lines = self._lines(found)
            if lines is None:
                result["files_skipped"] += 1
                continue
            result["files_searched"] += 1
            for number, line in enumerate(lines, 1):
                if not wanted.matches(line):
                    continue
                if len(result["matches"]) == limit:
                    result["truncated"] = True
                    return result
                result["matches"].append(
                    {"path": found.path, "line": number, "text": line[:_MAX_LINE]}
                )
        result["truncated"] = self._is_cut
        return result

    @property
    def _is_cut(self) -> bool:
        return self._seen > _MAX_FILES

    def _lines(self, found: Found) -> list[str] | None:
        """The lines of a text file; None of what is too large, not text, or not readable."""
        data = _read(found.folder, found.name, self._max_file_bytes)
        if data is None or b"\0" in data[:_SNIFF]:
            return None
        return data.decode(errors="replace").splitlines()

    def _below(self, start: str) -> Iterator[tuple[Found, str]]:
        """The files below `start` with their path below it; a file is below itself."""
        with self._root.place(start) as place:
            rules = self._rules_above(place.path)
            try:
                folder = os.open(place.name, _FOLDER, dir_fd=place.folder)
            except NotADirectoryError:
                yield (
                    Found(folder=place.folder, name=place.name, path=place.path),
                    place.name,
                )
                return
            except OSError as error:
                raise ToolError(f"{start}: {error.strerror}") from None
            prefix = "" if place.path == "." else f"{place.path}/"
            for found in self._walk(folder, prefix, rules, 0):
                yield found, found.path[len(prefix) :]

    def _rules_above(self, path: str) -> list[Rule]:
        """The rules of the folders on the way to `path`, without its own."""
        rules: list[Rule] = []
        names = [] if path == "." else path.split("/")
        for depth in range(len(names)):
            base = "".join(f"{name}/" for name in names[:depth])
            with suppress(ToolError), self._root.place(base or ".") as place:
                folder = os.open(place.name, _FOLDER, dir_fd=place.folder)
                try:
                    rules.extend(_own_rules(folder, base))
                finally:
                    os.close(folder)
        return rules

    def _walk(self, folder: int, prefix: str, rules: list[Rule], depth: int) -> Iterator[Found]:
        """The files of an open folder and of those below it; closes the folder."""
        try:
            rules = [*rules, *_own_rules(folder, prefix)]
            with os.scandir(folder) as entries:
                names = sorted(entry.name for entry in entries)
            for name in names:
                self._check()
                path = f"{prefix}{name}"
                try:
                    mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
                except OSError:
                    continue  # gone meanwhile
                if stat.S_ISREG(mode):
                    self._seen += 1
                    if self._is_cut:
                        return
                    if _is_text(path) and not is_ignored(rules, path, is_folder=False):
                        yield Found(folder=folder, name=name, path=path)
                elif stat.S_ISDIR(mode) and depth < _MAX_DEPTH and name not in ALWAYS:
                    if is_ignored(rules, path, is_folder=True):
                        continue
                    try:
                        below = os.open(name, _FOLDER, dir_fd=folder)
                    except OSError:
                        continue  # not readable, or a link by now
                    yield from self._walk(below, f"{path}/", rules, depth + 1)
        finally:
            os.close(folder)


def _own_rules(folder: int, base: str) -> list[Rule]:
    rules: list[Rule] = []
    for name in IGNORE_FILES:
        data = _read(folder, name, _MAX_IGNORE_BYTES)
        if data is not None:
            rules.extend(parse(data.decode(errors="replace"), base))
    return rules


def _read(folder: int, name: str, max_bytes: int) -> bytes | None:
    """A regular file of at most `max_bytes`; None of anything else."""
    try:
        with open_regular(name, folder) as file:
            data = file.read(max_bytes + 1)
    except (OSError, ToolError):
        return None
    return data if len(data) <= max_bytes else None


def _is_text(path: str) -> bool:
    """Whether a name can be JSON: one that is no UTF-8 cannot be told to anybody."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _glob(pattern: str) -> Pattern:
    """A glob without a folder fits in every folder, as in ignore files."""
    prefix = "" if "/" in pattern else "(?:.*/)?"
    try:
        return Pattern(f"^{prefix}{glob_expression(pattern.removeprefix('./'))}$")
    except PatternError as error:
        raise ToolError(f"glob: {error}") from None
