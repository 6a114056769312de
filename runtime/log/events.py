"""One entry of the session log, and the checks on the way in and out.

An `Event` is frozen; its canonical bytes are what the chain covers. Known types are validated
against the vocabulary when written and when read; types of tools live in namespaces of their own;
types and versions of a newer engine are kept and shown, never dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from pydantic import TypeAdapter, ValidationError

from codemode.runtime.log.canonical import decode, encode
from codemode.runtime.log.chain import digest
from codemode.runtime.log.errors import InvalidEventError, LogCorruptError
from codemode.runtime.log.quick import quick_of
from codemode.runtime.log.vocabulary import RESERVED, TYPES, Data
from codemode.sandbox.bridge.wire import freeze
from codemode.sandbox.values import FrozenDict, FrozenList, InvalidValueError, Json

#: The version of a type that is not in the vocabulary.
FOREIGN_VERSION: Final = 1

_TYPE: Final = re.compile(r"[a-z][a-z0-9_.-]{0,63}/[a-z0-9_./-]{1,127}\Z")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\Z")
_HASH: Final = re.compile(r"[0-9a-f]{64}\Z")
#: Values of these exact types are lossless and cannot change under the log.
_SETTLED: Final = frozenset({str, bool, int, FrozenDict, FrozenList})


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry of the log.

    Attributes:
        seq: Counts the events of its session from 1.
        time: UTC with microseconds, such as `2031-05-01T12:00:00.000000Z`; the writer's claim.
        turn: Counts turns from 1; None outside of one.
        step: Counts model requests of the session from 1; None outside of one.
        version: Of the type's schema.
        data: The fields of the type; frozen.
        prev: `hash` of the event before, 64 zeros for the first.
        hash: See `codemode.runtime.log.chain`.
    """

    seq: int
    time: str
    session: str
    turn: int | None
    step: int | None
    type: str
    version: int
    data: Mapping[str, Any]
    prev: str
    hash: str

    def body(self) -> bytes:
        """The canonical bytes that `hash` covers, made anew from the fields."""
        return encode(
            {
                "data": cast("Json", self.data),
                "prev": self.prev,
                "seq": self.seq,
                "session": self.session,
                "step": self.step,
                "time": self.time,
                "turn": self.turn,
                "type": self.type,
                "version": self.version,
            }
        )

    def as_json(self) -> dict[str, Json]:
        """The event as plain JSON, its hash included."""
        whole = cast("dict[str, Json]", decode(self.body()))
        whole["hash"] = self.hash
        return whole


@dataclass(frozen=True, slots=True)
class Record:
    """An event as stores keep it: what they index, and the exact bytes.

    Attributes:
        body: Canonical bytes without the hash; stores give them back byte for byte.
    """

    session: str
    seq: int
    type: str
    body: bytes
    hash: str

    def event(self) -> Event:
        """Read the event; fields are checked for shape, not against the vocabulary.

        Raises:
            LogCorruptError: The bytes are not an event.
        """
        try:
            fields = cast("dict[str, Any]", decode(self.body))
            fields["data"] = FrozenDict(fields["data"])
            event = Event(**fields, hash=self.hash)
        except (ValueError, TypeError, KeyError) as error:
            raise LogCorruptError(f"event {self.seq} of {self.session!r} is unreadable") from error
        if fault := _shape_fault(event):
            raise LogCorruptError(f"event {self.seq} of {self.session!r}: {fault}")
        return event

    def is_intact(self) -> bool:
        """Whether the hash is that of the bytes."""
        return digest(self.body) == self.hash


def _shape_fault(event: Event) -> str:
    for name in ("seq", "version"):
        if type(getattr(event, name)) is not int or getattr(event, name) < 1:
            return f"{name} is not a positive integer"
    for name in ("turn", "step"):
        value = getattr(event, name)
        if value is not None and type(value) is not int:
            return f"{name} is not an integer"
    texts = (event.time, event.session, event.type, event.prev, event.hash)
    if not all(type(text) is str for text in texts):
        return "a text field is not text"
    if not _TIME.match(event.time):
        return "time is not UTC with microseconds"
    if not (_HASH.match(event.prev) and _HASH.match(event.hash)):
        return "a hash is not 64 hexadecimal digits"
    return ""


def settle(kind: str, data: Mapping[str, object]) -> FrozenDict:
    """A frozen, lossless copy of an event's fields, without those that are None.

    Fields whose type leaves no room for anything but JSON are left to `check_written`.

    Raises:
        InvalidEventError: A field is not lossless JSON.
    """
    model = TYPES.get(kind)
    free = data.keys() if model is None else quick_of(model).free
    try:
        return FrozenDict(
            {
                key: freeze(value) if key in free and type(value) not in _SETTLED else value
                for key, value in data.items()
                if value is not None
            }
        )
    except InvalidValueError as error:
        raise InvalidEventError(f"{kind}: not lossless JSON: {error}") from error


_Check = Callable[[object], object]
_checks: dict[str, _Check] = {}


def _check_of(model: type[Data]) -> _Check:
    check = _checks.get(model.type)
    if check is None:
        model.model_rebuild()
        check = cast("_Check", model.__pydantic_validator__.validate_python)
        _checks[model.type] = check
    return check


def check_written(kind: str, data: FrozenDict) -> int:
    """Validate what is about to be written; gives the version of its schema.

    Raises:
        InvalidEventError: The fields do not fit, or the type is neither ours nor a tool's.
    """
    model = TYPES.get(kind)
    if model is None:
        if not _TYPE.match(kind):
            raise InvalidEventError(f"{kind!r} is not an event type: namespace/name, lower case")
        if kind.partition("/")[0] in RESERVED:
            raise InvalidEventError(f"{kind!r}: the namespace is the engine's; use one of your own")
        return FOREIGN_VERSION
    if quick_of(model).accepts(data):
        return model.version
    try:
        _check_of(model)(data)
    except ValidationError as error:
        raise InvalidEventError(f"{kind}: {_faults(error)}") from error
    return model.version


def read_fault(event: Event) -> str:
    """What is wrong with an event that was read; "" if nothing, or if it is not ours to judge."""
    model = TYPES.get(event.type)
    if model is None or event.version > model.version:
        return ""
    if quick_of(model).accepts(cast("FrozenDict", event.data)):
        return ""
    try:
        _check_of(model)(event.data)
    except ValidationError as error:
        return _faults(error)
    return ""


def is_foreign(event: Event) -> bool:
    """Whether this engine does not know the event's type or version: it is kept and shown."""
    model = TYPES.get(event.type)
    return model is None or event.version > model.version


def schema_of(kind: str) -> dict[str, Any]:
    """The JSON Schema of one type's `data`."""
    return TypeAdapter(TYPES[kind]).json_schema()


def _faults(error: ValidationError) -> str:
    """Which fields are wrong and why, without their values."""
    return "; ".join(
        f"{'.'.join(map(str, fault['loc'])) or '(root)'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_input=False, include_context=False)
    )
