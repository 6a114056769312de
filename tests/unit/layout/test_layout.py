"""The folders, the symlinks and the wheel map must name the same parts."""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PARTS = {"runtime", "sandbox", "sdkgen"}


def test_each_part_is_linked_and_shipped() -> None:
    links = {p.name: p.resolve() for p in (ROOT / "src" / "codemode").iterdir() if p.is_symlink()}
    assert links == {part: ROOT / part for part in PARTS}

    conf = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = conf["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert {wheel["sources"][part] for part in PARTS} == {f"codemode/{part}" for part in PARTS}
    assert set(conf["tool"]["pyright"]["include"]) >= {f"src/codemode/{part}" for part in PARTS}


def test_nothing_imported_the_bare_names() -> None:
    assert PARTS.isdisjoint(sys.modules)
