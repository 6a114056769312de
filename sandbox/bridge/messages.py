"""Every message of the bridge, in both directions, as closed schemas.

A message is one map whose key `t` names it; its other keys are exactly the fields of its class, of
exactly the stated types. docs/bridge.md says the same in words. No message can name a parent, a
token, another run or a limit of the host: the connection is the run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from codemode.sandbox.bridge import wire
from codemode.sandbox.limits import BY_NAME
from codemode.sandbox.program import Policy, Stream
from codemode.sandbox.values import Json

#: The ends that a guest may claim; all others are the host's own findings.
GuestKind = Literal[
    "syntax", "policy", "exception", "memory_limit", "limit", "invalid_output", "deadlock"
]

#: path, label, aliases, is_hidden, and the signature as an encoded value of its own (or None):
#: parameters as (key, name, required, is_object), is_closed, doc.
WireBinding: TypeAlias = "list[Any]"

#: The exit status of a guest that had no memory left to say so.
OUT_OF_MEMORY: Final = 71


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Host: start this program. Sent once.

    Attributes:
        bindings: See `WireBinding`.
        limits: Copies of the host's, so that the guest can say early and well what will not do.
    """

    source: str
    filename: str
    policy: Policy
    error_name: str
    seed: int | None
    clock: float | None
    bindings: list[WireBinding]
    files: dict[str, bytes]
    artifacts: list[str]
    limits: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Host: the value of a call."""

    id: int
    value: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Host: a call failed."""

    id: int
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """Host: the timer `n` is due, and everything sent before it has been seen."""

    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Now:
    """Host: what the program's virtual clock shows from here on; just before an answer or a tick.

    Attributes:
        at: Seconds since the program began.
    """

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Either side: a piece of the body of a message that is larger than a frame.

    Attributes:
        of: The name of that message.
        size: Bytes of the whole body, the same in each of its chunks.
    """

    of: str
    size: int
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Out:
    """Guest: printed text, not empty."""

    stream: Stream
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOut:
    """Guest: call a binding; `id` counts from 1 without gaps."""

    id: int
    name: str
    line: int | None
    arguments: dict[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """Guest: nobody waits for this call any more. It is answered all the same."""

    id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Timer:
    """Guest: send the tick `n` in `seconds`; a later timer replaces an earlier one."""

    n: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Guest: a refusal that never left it."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """Guest: a scratch file that the host asked for; only just before the end."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """Guest: the program ended well."""

    has_value: bool
    value: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail:
    """Guest: the program ended badly. Fields as in `program.Failure`."""

    kind: GuestKind
    message: str
    traceback: str
    line: int | None
    limit: str | None
    exception: str | None


HostMessage = Run | Reply | Fault | Tick | Now
GuestMessage = Out | CallOut | Cancel | Timer | Notice | Artifact | End | Fail
Message = HostMessage | GuestMessage

_Check = Callable[[Any], bool]


def _of(*kinds: type) -> _Check:
    return lambda value: type(value) in kinds


def _one_of(*names: str) -> _Check:
    return lambda value: type(value) is str and value in names


def _filled(value: Any) -> bool:
    return type(value) is str and value != ""


def _count(value: Any) -> bool:
    return type(value) is int and value > 0


def _span(value: Any) -> bool:
    return type(value) is float and 0 <= value < 1e9


def _map(value: Any) -> bool:
    return isinstance(value, dict)


def _list(value: Any) -> bool:
    return isinstance(value, list)


def _texts(value: Any) -> bool:
    return _list(value) and all(type(item) is str for item in value)


def _any(value: Any) -> bool:
    return True


_text: Final = _of(str)
_maybe_text: Final = _of(str, type(None))


def _maybe_limit(value: Any) -> bool:
    return value is None or (type(value) is str and value in BY_NAME)


def _maybe_line(value: Any) -> bool:
    return value is None or _count(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """One row of the table: how a message is recognised and judged.

    Attributes:
        has_binary: Its fields hold binary data.
    """

    tag: str
    build: Callable[..., Any]
    fields: dict[str, _Check]
    has_binary: bool = False


_FROM_HOST: Final = (
    Schema(tag="run", build=Run, has_binary=True, fields={
        "source": _text, "filename": _text, "policy": _one_of(*get_args(Policy)),
        "error_name": _text, "seed": _of(int, type(None)), "clock": _of(float, type(None)),
        "bindings": _list, "files": _map, "artifacts": _texts, "limits": _map}),
    Schema(tag="reply", build=Reply, fields={"id": _count, "value": _any}),
    Schema(tag="fault", build=Fault, fields={"id": _count, "code": _text, "message": _text}),
    Schema(tag="tick", build=Tick, fields={"n": _count}),
    Schema(tag="now", build=Now, fields={"at": _span}),
)  # fmt: skip

_FROM_GUEST: Final = (
    Schema(tag="out", build=Out, fields={"stream": _one_of(*get_args(Stream)), "text": _filled}),
    Schema(tag="call", build=CallOut, fields={
        "id": _count, "name": _text, "line": _maybe_line, "arguments": _map}),
    Schema(tag="cancel", build=Cancel, fields={"id": _count}),
    Schema(tag="timer", build=Timer, fields={"n": _count, "seconds": _span}),
    Schema(tag="notice", build=Notice, fields={"text": _text}),
    Schema(tag="artifact", build=Artifact, has_binary=True, fields={
        "path": _text, "data": _of(bytes)}),
    Schema(tag="end", build=End, fields={"has_value": _of(bool), "value": _any}),
    Schema(tag="fail", build=Fail, fields={
        "kind": _one_of(*get_args(GuestKind)), "message": _text, "traceback": _text,
        "line": _maybe_line, "limit": _maybe_limit, "exception": _maybe_text}),
)  # fmt: skip

CHUNK: Final = Schema(
    tag="chunk",
    build=Chunk,
    has_binary=True,
    fields={"of": _text, "size": _count, "data": _of(bytes)},
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What one side may be told.

    Attributes:
        schemas: By the name of the message.
        binary_heads: How the maps begin that may hold binary data: `t` comes first in them.
    """

    schemas: dict[str, Schema]
    binary_heads: tuple[bytes, ...]


def _vocabulary(schemas: tuple[Schema, ...]) -> Vocabulary:
    return Vocabulary(
        {schema.tag: schema for schema in schemas},
        tuple(wire.pack("t") + wire.pack(schema.tag) for schema in schemas if schema.has_binary),
    )


FROM_HOST: Final = _vocabulary((*_FROM_HOST, CHUNK))
FROM_GUEST: Final = _vocabulary((*_FROM_GUEST, CHUNK))
BY_CLASS: Final = {schema.build: schema for schema in (*_FROM_HOST, *_FROM_GUEST)}


def parse(value: object, schemas: dict[str, Schema]) -> Any:
    """Make the message that a decoded map says.

    Raises:
        ValueError: Not a map, an unknown name, a missing or unknown key, or a wrong type.
    """
    if not isinstance(value, dict):
        raise ValueError("a frame that is not a map")  # noqa: TRY004  # one error for all faults
    fields: dict[str, Any] = {**value}
    tag = fields.pop("t", None)
    schema = schemas.get(tag) if type(tag) is str else None
    if schema is None:
        raise ValueError("an unknown message")
    if fields.keys() != schema.fields.keys():
        raise ValueError(f"the keys of {schema.tag} are {', '.join(schema.fields)}")
    for key, check in schema.fields.items():
        if not check(fields[key]):
            raise ValueError(f"{schema.tag}.{key} is not what it must be")
    return schema.build(**fields)


def encode_fields(message: Message) -> dict[str, Any]:
    """The map that says `message`."""
    schema = BY_CLASS[type(message)]
    return {"t": schema.tag, **{key: getattr(message, key) for key in schema.fields}}
