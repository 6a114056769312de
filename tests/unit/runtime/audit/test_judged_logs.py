"""The judge of every log sees a log that is no true protocol."""

from __future__ import annotations

import judged_logs
import pytest

from codemode.runtime.log import SessionLog
from codemode.runtime.log.stores.memory import MemoryStore


async def write_a_call_without_a_result() -> None:
    store = MemoryStore()
    with pytest.MonkeyPatch.context() as patch, judged_logs.judged(patch):
        log = SessionLog(store, "s_1")
        log.emit("turn/open", {}, turn=1)
        log.emit("tool/call", {"call_id": "call_9", "name": "x", "arguments": "{}"}, turn=1)
        log.emit("turn/close", {}, turn=1)
        await log.aclose()


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 14.3", "PIPELINE 14.5")
async def test_a_log_that_breaks_the_protocol_is_noticed_when_it_is_closed() -> None:
    with pytest.raises(AssertionError, match="call_9"):
        await write_a_call_without_a_result()


@pytest.mark.anyio
async def test_a_log_without_faults_passes() -> None:
    store = MemoryStore()
    with pytest.MonkeyPatch.context() as patch:
        with judged_logs.judged(patch):
            log = SessionLog(store, "s_1")
            await log.aclose()
        assert judged_logs.faults_of(store, "s_1") == []
