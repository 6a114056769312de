"""Following a session that somebody else writes."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path

import anyio
import pytest

from codemode.runtime.audit.follow import EVERY_S, follow
from codemode.runtime.log import SessionLog, open_store

pytestmark = pytest.mark.anyio


@pytest.mark.spec("PIPELINE 11.4")
@pytest.mark.parametrize("name", ["log.sqlite", "log.jsonl"])
async def test_a_reader_of_a_living_log_gets_every_event_once(name: str, tmp_path: Path) -> None:
    writer = open_store(tmp_path / name)
    reader = open_store(tmp_path / name, read_only=True)
    log = SessionLog(writer, "s")
    looked: list[float] = []

    async def sleep(seconds: float) -> None:
        """Each time the reader has seen all, the writer writes more."""
        looked.append(seconds)
        if len(looked) == 4:
            await log.aclose()
            return
        for n in range(300):
            log.emit("fs/x", {"n": n})
        await log.flush()

    with anyio.fail_after(30):
        async with aclosing(follow(reader, "s", sleep=sleep, after=1)) as events:
            seen = [event.seq async for event in events]
    assert seen == list(range(2, 903))
    assert set(looked) == {EVERY_S}
    reader.close()
    writer.close()
