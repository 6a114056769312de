"""The seam's vocabulary: what goes into a run, and what comes out of it.

`SandboxBackend.run` takes a `Program` and named `Binding`s and gives an `Outcome` for anything that
the program does. No I/O here, and nothing that the guest cannot import.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from codemode.sandbox.isolation import IsolationReport
from codemode.sandbox.values import Json

Stream = Literal["stdout", "stderr"]

Kind = Literal[
    "syntax",
    "policy",
    "exception",
    "timeout",
    "cpu_limit",
    "memory_limit",
    "output_limit",
    "call_limit",
    "limit",
    "violation",
    "invalid_output",
    "deadlock",
    "stopped",
    "abort",
    "crash",
    "sandbox_unavailable",
]

Policy = Literal["restricted", "none"]

#: Files placed for the program, by absolute or relative scratch path.
Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One untrusted program.

    Attributes:
        source: Python text.
        filename: Shown in tracebacks.
        seed: Feeds `random`, `uuid4` and `secrets` when given; otherwise they are truly random.
        clock: Seconds since the epoch at which a virtual clock of the program's starts, which moves
            with what reaches the program only; None is the real clock.
        files: Input files on the run's scratch tree.
        artifacts: Globs of scratch files that are read back into `Outcome.artifacts`.
        error_name: Name in the program of the class that a failing binding raises.
    """

    source: str
    filename: str = "program.py"
    seed: int | None = None
    clock: float | None = None
    files: Files = field(default_factory=dict[str, bytes])
    artifacts: tuple[str, ...] = ()
    error_name: str = "ToolCallError"

    def __post_init__(self) -> None:
        """Refuse what the guest could not be given.

        Raises:
            TypeError: See `judge_scratch`.
        """
        judge_scratch(self.files, self.artifacts)


def judge_scratch(files: object, artifacts: object) -> None:
    """Judge a run's input files and patterns of artifacts, before anything is started.

    Raises:
        TypeError: A file is no bytes, or the patterns are one text.
    """
    if not isinstance(files, Mapping):
        raise TypeError(f"files maps names to bytes; it is {type(files).__name__}")
    for name, data in cast("Mapping[object, object]", files).items():
        if not isinstance(name, str) or not isinstance(data, bytes):
            hint = ": encode the text" if isinstance(data, str) else ""
            kinds = f"{type(name).__name__} to {type(data).__name__}"
            raise TypeError(f"files maps text to bytes; {name!r} maps {kinds}{hint}")
    if isinstance(artifacts, str):
        raise TypeError(f"artifacts takes several patterns: ({artifacts!r},)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a binding, as the guest maps and checks calls.

    Attributes:
        key: The exact key in the arguments object, such as `from`.
        name: What the program may write, such as `from_`; `key` is accepted too.
        is_object: The schema allows an object, so one positional dict is this parameter's value.
    """

    key: str
    name: str
    required: bool = False
    is_object: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What the guest knows of a binding: enough for good errors, never for trust.

    Attributes:
        parameters: In positional order, required ones first.
        is_closed: Unknown keywords are refused in the guest.
        doc: Shown by `help()`.
        keys: The exact key by everything that a program may write for it.
    """

    parameters: tuple[Parameter, ...] = ()
    is_closed: bool = False
    doc: str = ""
    keys: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        keys = {one.name: one.key for one in self.parameters}
        keys.update((one.key, one.key) for one in self.parameters)
        object.__setattr__(self, "keys", keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call that the program made, as the host received it.

    Attributes:
        number: Counts every submission of this run from 1, accepted or refused.
        name: The binding's dotted path.
        arguments: A lossless snapshot; the guest's own objects are never seen.
        line: The program's line, as the guest claims it; None when unknown.
    """

    number: int
    name: str
    arguments: dict[str, Json]
    line: int | None = None


#: Called synchronously in submission order; the awaitable it returns is awaited in a task of its
#: own, unless it is an `Answer`, which needs none. It gives a JSON value, or raises `ToolCallError`
#: or `StopRunError`.
Handler = Callable[[Call], Awaitable[Json]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """One function that the program may call.

    Attributes:
        handler: See `Handler`.
        label: A second name, for `namespace["exact-name"]`; any text.
        aliases: Further dotted paths under which the same binding is reachable.
        is_lookup: Answered by the host without being counted as a call.
        is_hidden: Reachable by its label only: not listed, completed or suggested.
    """

    handler: Handler
    signature: Signature | None = None
    label: str = ""
    aliases: tuple[str, ...] = ()
    is_lookup: bool = False
    is_hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """One piece of printed text, in order."""

    stream: Stream
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a program did not succeed.

    Attributes:
        message: For the program's author: what happened and what to do.
        traceback: As the interpreter prints it, the program's frames only; "" when there is none.
        line: The program's line, when known.
        limit: The name of the limit that was passed, if one was.
        exception: The exception's type name, for the kind `exception`.
    """

    kind: Kind
    message: str
    traceback: str = ""
    line: int | None = None
    limit: str | None = None
    exception: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a run used. Times in seconds; bytes as encoded on the bridge."""

    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_memory_bytes: int = 0
    waiting_s: float = 0.0
    calls: int = 0
    bytes_in: int = 0
    bytes_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What happened. `failure` is None exactly when the program succeeded.

    Attributes:
        has_result: Tells "no result" from a result that is None.
        logs: Everything printed before the end, whatever the end was.
        notices: Refusals that never left the guest, as the guest claims them.
    """

    logs: tuple[LogEntry, ...] = ()
    has_result: bool = False
    result: Json = None
    failure: Failure | None = None
    usage: Usage = Usage()
    isolation: IsolationReport
    artifacts: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    notices: tuple[str, ...] = ()

    @property
    def stdout(self) -> str:
        """What the program printed to its standard output."""
        return "".join(entry.text for entry in self.logs if entry.stream == "stdout")

    @property
    def stderr(self) -> str:
        """What the program printed to its standard error."""
        return "".join(entry.text for entry in self.logs if entry.stream == "stderr")


#: Sees each piece of output while the program runs; must not block.
OnOutput = Callable[[LogEntry], None]
