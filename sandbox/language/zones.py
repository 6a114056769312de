"""Time zones without files: the zone data is read once, ahead, and served from memory.

`zoneinfo` looks for its files when a zone is first named, and a jailed process has none.
Source: tzfile(5) for how such a file begins.
"""

from __future__ import annotations

import importlib
import io
import os
import zoneinfo
from collections.abc import Iterator
from typing import Any, Final

_DATA: Final[dict[str, bytes]] = {}
_MAGIC: Final = b"TZif"
#: Further copies of all zones, with other rules for leap seconds: no names of their own.
_COPIES: Final = frozenset({"posix", "right", "posixrules"})


def read_ahead() -> None:
    """Read the data of every zone of this machine, and make `zoneinfo` use it; idempotent."""
    if _DATA:
        return
    kept: dict[bytes, bytes] = {}  # many zones are one under several names
    for folder in zoneinfo.TZPATH:
        for key, data in _zones(folder, ""):
            if data.startswith(_MAGIC):
                _DATA.setdefault(key, kept.setdefault(data, data))
    common: Any = importlib.import_module("zoneinfo._common")
    native, listed = common.load_tzdata, zoneinfo.available_timezones

    def load_tzdata(key: str) -> Any:
        data = _DATA.get(key)
        if data is not None:
            return io.BytesIO(data)
        if _DATA:  # all that there is was read; the library's own would import what reads files
            raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}")
        return native(key)

    def available_timezones() -> set[str]:
        """The names of all zones that can be used."""
        return set(_DATA) or listed()

    common.load_tzdata = load_tzdata
    zoneinfo.available_timezones = available_timezones


def _zones(root: str, prefix: str) -> Iterator[tuple[str, bytes]]:
    """Every file below a folder of zones, by its name in it; nothing where there is no folder."""
    try:
        entries = list(os.scandir(os.path.join(root, prefix)))
    except OSError:
        return
    for entry in entries:
        if not prefix and entry.name in _COPIES:
            continue
        key = f"{prefix}{entry.name}"
        data = _read(entry)
        if data is None:  # a folder, or nothing
            yield from _zones(root, f"{key}/")
        else:
            yield key, data


def _read(entry: os.DirEntry[str]) -> bytes | None:
    """What a file holds; None when it is none, such as a link to nowhere on a small system."""
    try:
        if not entry.is_file():
            return None
        with open(entry.path, "rb", buffering=0) as file:
            return file.read()
    except OSError:
        return None
