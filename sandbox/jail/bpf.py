"""Classic BPF as seccomp runs it: an assembler for allow-lists, which knows none.

Source: Documentation/userspace-api/seccomp_filter.rst, linux/seccomp.h, linux/bpf_common.h.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

ALLOW: Final = 0x7FFF_0000
ERRNO: Final = 0x0005_0000
KILL_PROCESS: Final = 0x8000_0000

LOAD_WORD: Final = 0x20
JUMP_EQUAL: Final = 0x15
JUMP_AT_LEAST: Final = 0x35
JUMP_ANY_BIT: Final = 0x45
RETURN: Final = 0x06

INSTRUCTION: Final = struct.Struct("=HBBI")

# Offsets in struct seccomp_data. Arguments are 64 bits wide, but every argument judged here is an
# int in the kernel, which takes the low word: the first one on both (little-endian) machines.
_NUMBER: Final = 0
_ARCH: Final = 4
_ARGUMENTS: Final = 16


@dataclass(frozen=True, slots=True)
class Argument:
    """A condition on the low 32 bits of one argument, counted from 0."""

    index: int
    test: Literal["equals", "lacks_bits"]
    value: int


@dataclass(frozen=True, slots=True)
class Case:
    """What one system call is answered when all conditions hold; the first such case decides."""

    number: int
    answer: int
    conditions: tuple[Argument, ...] = ()


def assemble(cases: Sequence[Case], *, arch: int, otherwise: int) -> bytes:
    """The filter that answers each call by its first matching case, and `otherwise` if none does.

    The number is looked up by halving: when a filter is installed, the kernel runs it once for
    every number, and a chain of comparisons would cost each guest 100 us more.

    Args:
        cases: Those of one call are tried in order.
        arch: The only accepted AUDIT_ARCH; every other one is killed.
        otherwise: A seccomp return value.

    Raises:
        ValueError: The program is too long for its jumps.
    """
    head = [
        _instruction(LOAD_WORD, _ARCH),
        _instruction(JUMP_EQUAL, arch, 1, 0),
        _instruction(RETURN, KILL_PROCESS),
        _instruction(LOAD_WORD, _NUMBER),
    ]
    return b"".join(head + _search(_ranges(cases, otherwise)))


#: From this number up, this is what happens.
_Range = tuple[int, list[bytes]]


def _ranges(cases: Sequence[Case], otherwise: int) -> list[_Range]:
    """All numbers in ascending ranges that end at the next one's start."""
    unlisted = [_instruction(RETURN, otherwise)]
    listed: dict[int, list[bytes]] = {}
    for case in cases:
        listed.setdefault(case.number, []).extend(_assemble_case(case))
    starts = {0: unlisted} | {number + 1: unlisted for number in listed}
    starts |= {number: code + unlisted for number, code in listed.items()}
    return sorted(starts.items())


def _search(ranges: list[_Range]) -> list[bytes]:
    if len(ranges) == 1:
        return ranges[0][1]
    middle = len(ranges) // 2
    below, above = _search(ranges[:middle]), _search(ranges[middle:])
    return [_instruction(JUMP_AT_LEAST, ranges[middle][0], len(below), 0), *below, *above]


def _assemble_case(case: Case) -> list[bytes]:
    """Instructions that return the answer, or run out at their end when a condition fails."""
    code = [_instruction(RETURN, case.answer)]
    for condition in reversed(case.conditions):
        if condition.test == "equals":
            judge = _instruction(JUMP_EQUAL, condition.value, 0, len(code))
        else:
            judge = _instruction(JUMP_ANY_BIT, condition.value, len(code), 0)
        code = [_instruction(LOAD_WORD, _ARGUMENTS + 8 * condition.index), judge, *code]
    return code


def _instruction(code: int, value: int, on_true: int = 0, on_false: int = 0) -> bytes:
    try:
        return INSTRUCTION.pack(code, on_true, on_false, value)
    except struct.error as error:
        raise ValueError(f"a jump over {max(on_true, on_false)} instructions") from error
