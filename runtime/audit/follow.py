"""The events of a session that another process is still writing, as they become durable.

Inside the writing process use `SessionLog.subscribe`, which needs no polling.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from itertools import islice
from typing import Final

import anyio.to_thread

from codemode.runtime.log.events import Event
from codemode.runtime.log.store import EventStore, read_events

EVERY_S: Final = 0.2
_PAGE: Final = 256


async def follow(
    store: EventStore,
    session: str,
    *,
    sleep: Callable[[float], Awaitable[None]],
    after: int = 0,
) -> AsyncGenerator[Event]:
    """Every event after `after`, those to come included; ends with `session/close`.

    Args:
        store: The log, perhaps opened for reading only.
        session: Its id; it may not have begun yet.
        sleep: The clock's; called between looks at the log, with `EVERY_S`.
        after: `seq` of the last event that is known already.
    """

    def page() -> list[Event]:
        return list(islice(read_events(store, session, after=after), _PAGE))

    while True:
        events = await anyio.to_thread.run_sync(page)
        for event in events:
            yield event
            if event.type == "session/close":
                return
            after = event.seq
        if not events:
            await sleep(EVERY_S)
