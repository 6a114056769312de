"""Attachments are kept once by digest; the log holds references, and what is missing is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from logged import data_of
from loop_harness import OPEN, scripted

from codemode import ToolRuntime
from codemode.runtime.attachments import (
    AttachmentError,
    AttachmentStore,
    FileAttachmentStore,
    MemoryAttachmentStore,
    describe,
    resolve,
)
from codemode.runtime.content import Image
from codemode.runtime.definition import Output, Tool
from codemode.runtime.execution import RunContext
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.loop import call
from codemode.sandbox.values import thaw

PIXEL = b"\x89PNG a picture"


@pytest.fixture(params=["memory", "files"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> AttachmentStore:
    return (
        MemoryAttachmentStore()
        if request.param == "memory"
        else FileAttachmentStore(tmp_path / "kept")
    )


@pytest.mark.spec("PIPELINE 12.3")
def test_bytes_come_back_by_digest_with_media_type_and_size(store: AttachmentStore) -> None:
    digest = store.put(PIXEL, "image/png")
    assert store.put(PIXEL, "image/png") == digest
    kept = store.get(digest)
    assert kept is not None
    assert (kept.data, kept.media_type, kept.size_bytes) == (PIXEL, "image/png", len(PIXEL))
    assert store.get("0" * 64) is None
    assert store.get("../secret") is None


@pytest.mark.spec("PIPELINE 12.3")
def test_a_file_that_is_not_what_its_digest_says_is_missing(tmp_path: Path) -> None:
    store = FileAttachmentStore(tmp_path)
    digest = store.put(PIXEL, "image/png")
    (tmp_path / f"{digest}.bin").write_bytes(b"something else")
    assert store.get(digest) is None
    (tmp_path / f"{digest}.json").write_text("[]")
    assert store.get(digest) is None


def test_a_store_that_cannot_keep_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AttachmentError):
        FileAttachmentStore(tmp_path / "file").put(b"x", "image/png")
    with pytest.raises(AttachmentError):
        MemoryAttachmentStore(max_bytes=2).put(b"xxx", "image/png")


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 12.3")
async def test_images_of_results_and_contexts_are_kept_once_and_logged_by_reference(
    checked_store: MemoryStore,
) -> None:
    async def shoot(arguments: Any, run: RunContext) -> str:
        run.defer_context(["as promised", Image.of(PIXEL + b"2", "image/png")])
        return "shot"

    camera = Tool.raw(
        "shoot",
        "Take a picture.",
        OPEN,
        shoot,
        output=Output(render=lambda arguments, value: [str(value), Image.of(PIXEL, "image/png")]),
    )
    async with ToolRuntime([camera], log=checked_store) as runtime:
        async with runtime.agent(scripted([call("shoot")], [call("shoot")])) as agent:
            await agent.run("shoot")
        kept = runtime.attachments
    content = thaw(data_of(checked_store, "tool/result")[0]["content"])
    text, image = resolve(content, kept)
    assert describe(text) == "shot"
    assert isinstance(image, Image)
    assert image.data == PIXEL
    lost = resolve(content, MemoryAttachmentStore())[1]
    assert isinstance(lost, Image)
    assert lost.data is None
    assert describe(lost) == f"[image/png, {len(PIXEL)} bytes, {lost.sha256[:12]}, missing]"
    context = thaw(data_of(checked_store, "user/message")[1]["content"])
    assert describe(resolve(context, kept)[1]).endswith("]")
    assert "missing" not in describe(resolve(context, kept)[1])
