"""Background work that a tool starts: it outlives the call, has its own cancel and its own events.

A job belongs to the session of the call that started it. Its end is an event of that session and a
message for the model, which the loop delivers at a step's boundary; the loop can also wait for jobs
before it goes idle. Source: spec PIPELINE 8.6.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Literal, Self
from uuid import uuid4

import anyio
from anyio.abc import TaskGroup

from codemode.runtime.cancellation import CancelSignal, CancelSource
from codemode.runtime.errors import MisuseError
from codemode.runtime.event_types import check_event_type
from codemode.runtime.execution import RunContext
from codemode.runtime.failures import clip, describe_exception
from codemode.runtime.jsontext import compact
from codemode.runtime.loop.messages import UserMessage
from codemode.runtime.owner import Owner
from codemode.sandbox.values import InvalidValueError, Json, snapshot

JobState = Literal["running", "ok", "error", "cancelled"]

#: What the model reads of a job's value.
_MAX_CHARACTERS: Final = 4_000


class JobRun:
    """What a job may do besides returning one JSON value.

    Attributes:
        job_id: Its id.
        signal: Fires when the job is cancelled.
    """

    def __init__(
        self, job_id: str, call_id: str, signal: CancelSignal, owner: Owner | None
    ) -> None:
        self.job_id: Final = job_id
        self.signal: Final = signal
        self._call_id = call_id
        self._owner = owner

    def emit(self, event_type: str, data: Mapping[str, Any]) -> None:
        """Append a session event of the job's own; between turns it waits for the next one.

        Raises:
            ValueError: The type has no namespace, or one of the runtime's.
            InvalidValueError: `data` is not lossless JSON.
        """
        check_event_type(event_type)
        body: Any = snapshot(dict(data))
        if self._owner is not None:
            fields = {"call_id": self._call_id, "job_id": self.job_id, "data": body}
            self._owner.record(event_type, fields)


#: A job's work: one JSON value, or a throw.
Work = Callable[[JobRun], Awaitable[Json]]


@dataclass(slots=True, kw_only=True)
class _Job:
    title: str
    session: str
    source: CancelSource
    run: JobRun
    state: JobState = "running"
    value: Json = None
    message: str = ""


class Jobs:
    """The jobs of a runtime; an asynchronous context manager. Leaving it cancels what still runs.

    Args:
        max_running: Most jobs at once.
    """

    def __init__(self, *, max_running: int = 20) -> None:
        self._max_running = max_running
        self._jobs: dict[str, _Job] = {}
        self._ended: dict[str, deque[_Job]] = {}
        self._changed = anyio.Event()
        self._tasks: TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._tasks = await anyio.create_task_group().__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        tasks, self._tasks = self._tasks, None
        if tasks is None:
            return None
        for job in self._jobs.values():
            job.source.cancel("the host is closing")
        return await tasks.__aexit__(kind, error, traceback)

    def start(self, run: RunContext, work: Work, *, title: str) -> str:
        """Start work in the background of the call `run`, and return its id at once.

        Args:
            title: What it does, in a few words, for the model and for people.

        Raises:
            ToolError: The call is cancelled already; nothing was started.
            MisuseError: The jobs were not entered, or too many run.
        """
        run.signal.raise_if_cancelled()
        if self._tasks is None:
            raise MisuseError("enter the jobs first: async with Jobs() as jobs: ...")
        if sum(job.state == "running" for job in self._jobs.values()) >= self._max_running:
            raise MisuseError(f"{self._max_running} jobs are running already")
        job_id = f"job_{uuid4().hex[:12]}"
        owner = run.execution.owner
        source = CancelSource()
        job = _Job(
            title=title,
            session="" if owner is None else owner.session,
            source=source,
            run=JobRun(job_id, run.call_id, source.signal, owner),
        )
        job.run.emit("job/started", {"title": title})
        self._jobs[job_id] = job
        self._tasks.start_soon(self._run, job, work)
        return job_id

    def cancel(self, job_id: str, reason: str = "cancelled") -> None:
        """Ask a job to end; one that has ended is left alone.

        Raises:
            LookupError: There is no such job.
        """
        self._get(job_id).source.cancel(reason)

    def state(self, job_id: str) -> JobState:
        """How a job stands.

        Raises:
            LookupError: There is no such job.
        """
        return self._get(job_id).state

    def value(self, job_id: str) -> Json:
        """What a job that ended well returned; None of any other.

        Raises:
            LookupError: There is no such job.
        """
        return self._get(job_id).value

    def is_busy(self, session: str) -> bool:
        """Whether jobs of that session run."""
        return any(job.state == "running" for job in self._jobs.values() if job.session == session)

    def has_ended(self, session: str) -> bool:
        """Whether `take_ended` has something to give."""
        return session in self._ended

    def take_ended(self, session: str) -> list[UserMessage]:
        """What the model is to read of jobs that have ended since; each is given once."""
        ended = self._ended.pop(session, deque())
        return [_message(job) for job in ended]

    async def wait(self, session: str) -> None:
        """Return when a job of that session has ended that nobody has taken, or none runs."""
        while self.is_busy(session) and not self.has_ended(session):
            await self._changed.wait()

    async def _run(self, job: _Job, work: Work) -> None:
        try:
            with anyio.CancelScope() as scope:
                job.source.signal.subscribe(scope.cancel)
                job.value = snapshot(await work(job.run))
                job.state = "ok"
        except InvalidValueError as error:
            job.state, job.message = "error", f"the job returned a value that is not JSON: {error}"
        except Exception as error:  # noqa: BLE001 - the tool's own work is called here
            job.state, job.message = "error", describe_exception(error)
        finally:
            self._end(job)

    def _end(self, job: _Job) -> None:
        if job.state == "running":
            job.source.cancel("the host is closing")
            job.state, job.message = "cancelled", job.source.signal.reason or "cancelled"
        changed, self._changed = self._changed, anyio.Event()
        self._ended.setdefault(job.session, deque()).append(job)
        changed.set()
        data = {"title": job.title, "outcome": job.state}
        job.run.emit("job/ended", {**data, "reason": job.message} if job.message else data)

    def _get(self, job_id: str) -> _Job:
        try:
            return self._jobs[job_id]
        except KeyError:
            raise LookupError(f"there is no job {job_id!r}") from None


def _message(job: _Job) -> UserMessage:
    head = f"Job {job.run.job_id} ({job.title}) ended: {job.state}"
    if job.state == "ok":
        body = job.value if isinstance(job.value, str) else compact(job.value)
    else:
        body = job.message
    return UserMessage.of(f"{head}\n{clip(body, _MAX_CHARACTERS)}", source="job")
