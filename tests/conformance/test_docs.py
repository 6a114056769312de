"""The documentation hangs together: every link leads somewhere, every page can be reached."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)(#[^)\s]*)?\)")
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def links(page: Path) -> list[tuple[str, str]]:
    """The relative links of a page: the file ("" is the page itself) and the anchor."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return [(file, anchor) for file, anchor in LINK.findall(text) if "://" not in file]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {
        "#" + re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for file, anchor in links(page):
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), file
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), file + anchor


def test_every_page_can_be_reached_from_the_first() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or not page.exists() or page.suffix != ".md":
            continue
        reached.add(page)
        waiting += [(page.parent / file).resolve() for file, _ in links(page) if file]
    assert {page.name for page in PAGES if page not in reached} == set()
