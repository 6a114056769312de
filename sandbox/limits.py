"""The limits of a run: one table, from which the class, the messages and docs/limits.md come.

Enforced on the host or by the kernel; what the guest checks itself is only for good messages.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One row of the table.

    Attributes:
        kind: The failure kind of a run that passes it, or a key of `_KINDS`: less than the run fails.
    """

    name: str
    unit: str
    default: float
    maximum: float
    kind: str
    what: str


_GIB: Final = 1 << 30
_MIB: Final = 1 << 20

TABLE: Final = (
    Limit(name="wall_s", unit="s", default=30, maximum=86_400, kind="timeout", what="wall clock without the time spent waiting for people"),
    Limit(name="total_wall_s", unit="s", default=900, maximum=604_800, kind="timeout", what="wall clock, all of it"),
    Limit(name="cpu_s", unit="s", default=10, maximum=86_400, kind="cpu_limit", what="processor time, whole seconds"),
    Limit(name="memory_bytes", unit="bytes", default=256 * _MIB, maximum=64 * _GIB, kind="memory_limit", what="memory, as address space above the empty guest's"),
    Limit(name="output_bytes", unit="bytes", default=_MIB, maximum=_GIB, kind="output_limit", what="printed text, UTF-8"),
    Limit(name="log_entries", unit="entries", default=100_000, maximum=10_000_000, kind="output_limit", what="separate pieces of output"),
    Limit(name="calls", unit="calls", default=1_000, maximum=1_000_000, kind="call_limit", what="calls of bound functions"),
    Limit(name="outstanding", unit="calls", default=256, maximum=100_000, kind="call", what="calls waiting for an answer at once"),
    Limit(name="argument_bytes", unit="bytes", default=16 * _MIB, maximum=_GIB, kind="call", what="one call's arguments, encoded"),
    Limit(name="result_bytes", unit="bytes", default=16 * _MIB, maximum=_GIB, kind="call", what="one call's result, or the program's, encoded"),
    Limit(name="total_bytes", unit="bytes", default=128 * _MIB, maximum=16 * _GIB, kind="limit", what="all arguments and results of a run"),
    Limit(name="frame_bytes", unit="bytes", default=_MIB, maximum=64 * _MIB, kind="violation", what="one frame on the bridge; larger values go in chunks"),
    Limit(name="nesting", unit="levels", default=500, maximum=500, kind="value", what="depth of one value on the bridge"),
    Limit(name="scratch_bytes", unit="bytes", default=64 * _MIB, maximum=16 * _GIB, kind="limit", what="scratch files of a run, all together"),
    Limit(name="scratch_files", unit="files", default=1_000, maximum=1_000_000, kind="limit", what="scratch files and folders of a run"),
    Limit(name="drain_s", unit="s", default=5, maximum=3_600, kind="drain", what="how long started calls are awaited after the program's end"),
)  # fmt: skip

BY_NAME: Final = {limit.name: limit for limit in TABLE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of one run. See `TABLE` for what each one means and its greatest value.

    Raises:
        ValueError: A value is not a positive finite number within the table's maximum.
    """

    wall_s: float = 30.0
    total_wall_s: float = 900.0
    cpu_s: int = 10
    memory_bytes: int = 256 * _MIB
    output_bytes: int = _MIB
    log_entries: int = 100_000
    calls: int = 1_000
    outstanding: int = 256
    argument_bytes: int = 16 * _MIB
    result_bytes: int = 16 * _MIB
    total_bytes: int = 128 * _MIB
    frame_bytes: int = _MIB
    nesting: int = 500
    scratch_bytes: int = 64 * _MIB
    scratch_files: int = 1_000
    drain_s: float = 5.0

    def __post_init__(self) -> None:
        for limit in TABLE:
            value = getattr(self, limit.name)
            whole = limit.unit != "s" or limit.name == "cpu_s"
            if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
                fault = f"limit {limit.name}: {value!r} is not a number of {limit.unit}"
                raise ValueError(fault)  # noqa: TRY004 - one error for any bad limit
            if not 0 < value <= limit.maximum:
                raise ValueError(
                    f"limit {limit.name}: {value:g} {limit.unit} is not within"
                    f" (0, {limit.maximum:g}]"
                )

    def as_json(self) -> dict[str, float]:
        """The limits as plain JSON, for the log."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def passed(name: str, allowed: float) -> str:
    """The message for a limit that was passed: what, how much, how to raise it."""
    limit = BY_NAME[name]
    return (
        f"{limit.what}: the limit of {amount(allowed, limit.unit)} was passed"
        f"; {_INSTEAD[name]} (the host can raise it: Limits({name}=...))"
    )


def amount(value: float, unit: str) -> str:
    """A quantity for people: `256 MiB`, `1,000 calls`, `0.5 s`."""
    if unit == "bytes":
        for size, name in ((_GIB, "GiB"), (_MIB, "MiB"), (1 << 10, "KiB")):
            if value >= size and value % size == 0:
                return f"{value // size:,.0f} {name}"
    return f"{value:,.15g} {unit}"


#: What a program's author does about each limit.
_INSTEAD: Final = {
    "wall_s": "do less in one run, or find what never ends",
    "total_wall_s": "do less in one run, or find what never ends",
    "cpu_s": "do less in one run, or find what never ends",
    "memory_bytes": "hold less at once: go through the data in parts",
    "output_bytes": "print less: a summary, or the rows that matter",
    "log_entries": "print fewer and longer pieces",
    "calls": "make fewer calls: ask for more at once, or for less",
    "outstanding": "wait for some before making more, as with asyncio.Semaphore",
    "argument_bytes": "send less, or in parts",
    "result_bytes": "ask for less or return less: a part, or a summary",
    "total_bytes": "ask for less and send less: parts, or summaries",
    "frame_bytes": "send it in chunks",
    "nesting": "send a flatter value",
    "scratch_bytes": "write less, or delete what is done with",
    "scratch_files": "write fewer files, or delete what is done with",
    "drain_s": "wait for the calls before the program ends",
}

_KINDS: Final = {
    "call": "the call fails with `LIMIT`; the program goes on",
    "value": "the value is refused as not JSON",
    "drain": "the call settles as `unknown`",
}


def markdown() -> str:
    """The table as docs/limits.md has it."""
    rows = [
        f"| `{limit.name}` | {amount(limit.default, limit.unit)} | {amount(limit.maximum, limit.unit)}"
        f" | {_KINDS.get(limit.kind, f'the run ends as `{limit.kind}`')} | {limit.what} |"
        for limit in TABLE
    ]
    return "\n".join(
        [
            "# Limits of a run",
            "",
            "Made from `sandbox/limits.py`. The host raises a limit with `Limits(name=...)`, for one"
            " run or for a whole `Sandbox` or `ToolRuntime`; nothing that a program does can.",
            "",
            "| limit | default | greatest | when it is passed | what it bounds |",
            "|---|---|---|---|---|",
            *rows,
            "",
        ]
    )
