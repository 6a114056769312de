"""Reading the zones of a machine: what cannot be read is no zone."""

from __future__ import annotations

import os
from pathlib import Path

from codemode.sandbox.language import zones


def test_zones_are_found_by_their_names_below_the_folder(tmp_path: Path) -> None:
    (tmp_path / "Europe").mkdir()
    (tmp_path / "Europe" / "Zurich").write_bytes(b"TZif of Zurich")
    (tmp_path / "UTC").write_bytes(b"TZif of UTC")
    (tmp_path / "posix").mkdir()
    (tmp_path / "posix" / "UTC").write_bytes(b"a copy")
    found = dict(zones._zones(str(tmp_path), ""))
    assert found == {"Europe/Zurich": b"TZif of Zurich", "UTC": b"TZif of UTC"}


def test_links_to_nowhere_and_what_is_no_file_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "UTC").write_bytes(b"TZif of UTC")
    (tmp_path / "localtime").symlink_to(tmp_path / "nowhere")
    (tmp_path / "itself").symlink_to(tmp_path / "itself")
    os.mkfifo(tmp_path / "pipe")
    assert dict(zones._zones(str(tmp_path), "")) == {"UTC": b"TZif of UTC"}


def test_no_folder_has_no_zones(tmp_path: Path) -> None:
    assert list(zones._zones(str(tmp_path / "nowhere"), "")) == []
