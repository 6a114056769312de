"""Bounded content: no tool can bypass the budget, and the program's value is never cut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pipeline_harness import Harness

from codemode.runtime.content import Content, Image, Text, content_as_json, plain_text
from codemode.runtime.definition import Output
from codemode.runtime.errors import ToolError
from codemode.runtime.execution import RunContext
from codemode.runtime.policy import Accept
from codemode.runtime.spill import (
    FileSpillStore,
    MemorySpillStore,
    SpillError,
    SpillStore,
    exceeds,
    preview,
)

pytestmark = pytest.mark.anyio

LONG = "begin " + "é" * 5_000 + " end"


async def long(arguments: Any, run: RunContext) -> str:
    if arguments.get("fail"):
        raise ToolError(LONG)
    return LONG


@pytest.fixture(params=["memory", "files"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> SpillStore:
    return MemorySpillStore() if request.param == "memory" else FileSpillStore(tmp_path / "spill")


def text_bytes(content: Content) -> int:
    return sum(len(block.text.encode()) for block in content if isinstance(block, Text))


@pytest.mark.spec("PIPELINE 12.1")
async def test_a_store_gives_back_what_it_kept(store: SpillStore) -> None:
    first = await store.put("call", b"text")
    assert await store.put("other call", b"text") == first
    assert await store.get(first) == b"text"
    for nowhere in ("memory:none", "/etc/passwd", first + "x"):
        with pytest.raises(SpillError):
            await store.get(nowhere)


@pytest.mark.spec("PIPELINE 12.1", "PIPELINE 6.20")
async def test_a_long_text_becomes_head_and_tail_with_a_locator(
    harness: Harness, store: SpillStore
) -> None:
    harness.add("long", long)
    async with harness.open(content_bytes=1_000, spill=store):
        result = await harness.call("long")
    assert text_bytes(result.content) <= 1_000
    assert result.text.startswith("begin é")
    assert result.text.endswith("é end")
    assert result.locator is not None
    assert result.locator in result.text
    assert (await store.get(result.locator)).decode() == LONG
    assert result.value == LONG
    assert result.replaced_by == ("spill",)
    assert result.body_content_sha256 is not None


@pytest.mark.spec("PIPELINE 12.1")
@pytest.mark.parametrize("way", ["render", "failure", "post", "finalizer"])
async def test_no_way_of_writing_content_bypasses_the_budget(harness: Harness, way: str) -> None:
    options: dict[str, Any] = {}
    if way == "render":
        options["output"] = Output(render=lambda arguments, value: [LONG, LONG])
    if way == "finalizer":
        options["finalize_content"] = lambda arguments, outcome: LONG
    harness.add("long", long, **options)
    if way == "post":
        harness.registry.root.add("post", lambda execution, outcome: Accept(content=LONG))
    async with harness.open(content_bytes=1_000):
        result = await harness.call("long", {"fail": way == "failure"})
    assert text_bytes(result.content) <= 1_000
    assert "the rest is lost" in result.text
    assert result.is_error is (way == "failure")


@pytest.mark.spec("PIPELINE 12.2")
async def test_a_spill_that_fails_keeps_the_preview_and_says_that_the_rest_is_lost(
    harness: Harness,
) -> None:
    harness.add("long", long)
    async with harness.open(content_bytes=1_000, spill=MemorySpillStore(max_bytes=10)):
        result = await harness.call("long")
    assert not result.is_error
    assert "the rest is lost" in result.text
    assert result.locator is None


@pytest.mark.spec("PIPELINE 12.2")
async def test_a_folder_that_cannot_be_written_is_a_spill_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SpillError):
        await FileSpillStore(tmp_path / "file" / "spill").put("call", b"x")


@pytest.mark.spec("PIPELINE 12.1", "PIPELINE 12.3")
def test_images_are_kept_beside_a_preview_and_logged_by_reference() -> None:
    image = Image.of(b"png bytes", "image/png")
    bounded = preview((Text(LONG), image), 500, "the rest is lost")
    assert bounded[1] is image
    assert text_bytes(bounded) <= 500
    assert content_as_json((image,)) == [
        {"type": "image", "media_type": "image/png", "sha256": image.sha256, "bytes": 9}
    ]
    assert "png bytes" not in repr(image)


def test_a_budget_counts_bytes_not_characters() -> None:
    content = (Text("é" * 400), Text("é" * 100))
    assert exceeds(content, 1_000)
    assert not exceeds(content, 1_001)
    assert len(plain_text(content).encode()) == 1_001
