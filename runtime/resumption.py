"""Taking up an interrupted run: what is known of it, what is not, and who has to say.

Never repeats a side effect by itself: a call that may have happened, and whose answer the record
does not have, stops the resumption until the host has found out. A run is resumed once; what became
of it is resumed from its own record. Source: spec AUDIT 3.4.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

import anyio.to_thread

from codemode.runtime.audit.interruption import Interruption, find_interruption
from codemode.runtime.audit.run_calls import BegunCall
from codemode.runtime.audit.run_record import UnusableRecordError, find_run
from codemode.runtime.audit.succession import find_successor, has_gone_further
from codemode.runtime.code_mode.resuming import ResumePlan
from codemode.runtime.errors import MisuseError
from codemode.runtime.log import EventStore, SessionBusyError, Signer
from codemode.runtime.log.canonical import sha256_of
from codemode.runtime.log.journal import Journal
from codemode.runtime.log.repair import repair
from codemode.runtime.log.store import holding
from codemode.sandbox.errors import CodeModeError
from codemode.sandbox.values import InvalidValueError, Json, snapshot

_MOST_SHOWN: Final = 20


class ResumeRefusedError(CodeModeError):
    """The run cannot go on as it is. Nothing ran.

    Attributes:
        unknown: The calls that may have changed something and whose answers are not known: give
            each an answer, or let it be made again.
    """

    def __init__(self, reason: str, unknown: tuple[BegunCall, ...] = ()) -> None:
        super().__init__(reason)
        self.unknown = unknown


@contextmanager
def taking_up(store: EventStore, session: str, call_id: str) -> Generator[None]:
    """Hold the one right to resume a run, among all processes that share the log.

    Raises:
        ResumeRefusedError: Another one has it.
    """
    busy = ResumeRefusedError("that run is being resumed already")
    with holding(store, f"resume:{session}:{call_id}", busy=busy):
        yield


async def session_of(store: EventStore, call_id: str, session: str | None) -> str:
    """The session of a run.

    Raises:
        ResumeRefusedError: The log has no such run, or several.
    """
    try:
        found, _ = await anyio.to_thread.run_sync(find_run, store, call_id, session)
    except UnusableRecordError as error:
        raise ResumeRefusedError(str(error)) from error
    return found


async def find_record(
    store: EventStore, journal: Journal, session: str, call_id: str, *, signer: Signer | None
) -> Interruption:
    """The record of a run that stopped; what its writer left open is settled first.

    Raises:
        ResumeRefusedError: It goes on, came to its end, was resumed already, or its record cannot
            be used.
        LogError: A file cannot be read.
    """
    try:
        await repair(store, session, signer=signer)
    except SessionBusyError:
        raise ResumeRefusedError(
            "its session is still open: the run goes on, or the agent that made it, or a body that"
            " has outlived its call"
        ) from None

    def read() -> Interruption:
        if (later := find_successor(store, session, call_id)) is not None:
            raise ResumeRefusedError(f"it was resumed already, as {later}: resume that one")
        _, events = find_run(store, call_id, session)
        origin = events["tool/code-run-start"].data.get("resumed_from")
        if origin is not None and not has_gone_further(store, session, call_id):
            raise ResumeRefusedError(
                f"it did nothing that is not in the record of the run {origin['call_id']} of"
                f" {origin['session']}: resume that one again"
            )
        return find_interruption(store, journal, call_id, session)

    try:
        return await anyio.to_thread.run_sync(read)
    except UnusableRecordError as error:
        raise ResumeRefusedError(str(error)) from error


def make_plan(
    record: Interruption,
    *,
    answers: Mapping[int, object],
    repeat: Collection[int],
    is_read_only: Callable[[str], bool],
    names: Mapping[str, str],
    faults_of: Callable[[str, Json], str] = lambda name, value: "",
    digest_of: Callable[[Json], str | None] = sha256_of,
) -> ResumePlan:
    """What of the record can be used, with what the host has found out.

    Args:
        answers: What calls came to, by number.
        repeat: Numbers of calls that did not happen, or that may happen twice.
        is_read_only: Of a tool's wire name, now; False for a tool that is gone. A call is made
            again by itself only if its tool was declared so when it began, too.
        names: Wire names of tools, by the paths that programs know them by.
        faults_of: Why a tool, by its wire name, cannot have given a value; "" when it can.
        digest_of: What the log may say of an answer.

    Raises:
        ResumeRefusedError: It is not known what a call that may have changed something came to.
        MisuseError: An answer is for no such call, is not JSON, or none that the tool can have
            given; a number is none.
    """
    unlogged = tuple(replace(one, name=names.get(one.name, one.name)) for one in record.unlogged)
    record = replace(record, unanswered=record.unanswered + unlogged)
    begun = {one.number: one for one in record.unanswered}
    for number in (*answers, *repeat):
        if type(number) is not int:
            raise MisuseError(f"a call is named by its number, such as 3, not {number!r}")
        if number not in begun:
            open_calls = ", ".join(map(str, begun)) or "none"
            raise MisuseError(f"call {number} waits for no answer; those that do: {open_calls}")
    if both := sorted(set(answers) & set(repeat)):
        raise MisuseError(f"call {both[0]} has an answer and is to be made again: choose one")
    unknown = tuple(
        one
        for one in record.unanswered
        if one.may_have_happened
        and not (one.is_read_only and is_read_only(one.name))
        and one.number not in answers
        and one.number not in repeat
    )
    if unknown:
        raise ResumeRefusedError(_asking(unknown), unknown)
    judged = {number: _judged(number, value) for number, value in answers.items()}
    for number, value in judged.items():
        name = begun[number].name
        if faults := faults_of(name, value):
            raise MisuseError(
                f"call {number} cannot have come to that, by the output schema of {name}: {faults}"
            )
    return ResumePlan(
        record=record,
        answers=judged,
        digests={number: digest_of(value) for number, value in judged.items()},
        repeated=tuple(sorted(repeat)),
    )


def _judged(number: int, value: object) -> Json:
    try:
        return snapshot(value)
    except InvalidValueError as error:
        raise MisuseError(f"the answer of call {number} is not JSON: {error}") from None


def _asking(unknown: tuple[BegunCall, ...]) -> str:
    lines = [
        "these calls may have changed something, and what they came to is not in the record; find"
        " out, then resume with answers={number: value} for those that happened, and"
        " repeat={number} for those that did not:"
    ]
    lines += [
        f"- call {one.number}: {one.name}, line {one.line} ({one.outcome} in the log)"
        for one in unknown[:_MOST_SHOWN]
    ]
    if len(unknown) > _MOST_SHOWN:
        lines.append(f"- and {len(unknown) - _MOST_SHOWN} more")
    return "\n".join(lines)
