"""The assembler of filter programs, by what its programs answer."""

from __future__ import annotations

import struct

import pytest
from filter_machine import simulate

from codemode.sandbox.jail import bpf

ARCH = 0xC000003E
NO = bpf.KILL_PROCESS


def build(*cases: bpf.Case) -> bytes:
    return bpf.assemble(cases, arch=ARCH, otherwise=NO)


def run(program: bytes, number: int, *arguments: int, arch: int = ARCH) -> int:
    return simulate(program, arch=arch, number=number, arguments=arguments)


@pytest.mark.spec("SANDBOX 2.5")
def test_a_call_without_a_case_gets_the_default_answer() -> None:
    program = build(bpf.Case(7, bpf.ALLOW))
    assert run(program, 7) == bpf.ALLOW
    assert run(program, 8) == NO


def test_another_architecture_is_killed_whatever_the_call() -> None:
    program = build(bpf.Case(7, bpf.ALLOW))
    assert run(program, 7, arch=0x40000003) == bpf.KILL_PROCESS


def test_every_number_is_found_among_its_neighbours() -> None:
    listed = (0, 1, 2, 7, 9, 10, 300, 2**32 - 2)
    program = build(*(bpf.Case(number, bpf.ERRNO | number % 100) for number in listed))
    for number in {n + d for n in listed for d in (-1, 0, 1)} - {-1}:
        expected = bpf.ERRNO | number % 100 if number in listed else NO
        assert run(program, number) == expected, number


def test_all_conditions_of_a_case_must_hold() -> None:
    both = (bpf.Argument(0, "equals", 3), bpf.Argument(2, "lacks_bits", 4))
    program = build(bpf.Case(1, bpf.ALLOW, both))
    assert run(program, 1, 3, 0, 3) == bpf.ALLOW
    assert run(program, 1, 3, 0, 4) == NO
    assert run(program, 1, 4, 0, 3) == NO


def test_the_first_matching_case_decides() -> None:
    program = build(
        bpf.Case(1, bpf.ALLOW, (bpf.Argument(0, "equals", 3),)),
        bpf.Case(1, bpf.ERRNO | 1, (bpf.Argument(0, "equals", 2),)),
    )
    assert run(program, 1, 3) == bpf.ALLOW
    assert run(program, 1, 2) == bpf.ERRNO | 1
    assert run(program, 1, 1) == NO


def test_only_the_low_word_of_an_argument_counts_as_in_the_kernel() -> None:
    program = build(bpf.Case(0, bpf.ALLOW, (bpf.Argument(0, "equals", 3),)))
    assert run(program, 0, 3 | 1 << 32) == bpf.ALLOW
    assert run(program, 0, 3 << 32) == NO


def test_a_program_that_is_too_long_for_its_jumps_is_refused() -> None:
    conditions = tuple(bpf.Argument(0, "equals", 3) for _ in range(200))
    with pytest.raises(ValueError, match="jump over"):
        build(bpf.Case(1, bpf.ALLOW, conditions))


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (b"", "without a return"),
        (struct.pack("=HBBI", 0x20, 0, 0, 64), "load at offset 64"),
        (struct.pack("=HBBI", 0x20, 0, 0, 2), "load at offset 2"),
        (struct.pack("=HBBI", 0x99, 0, 0, 0), "unknown instruction"),
    ],
)
def test_the_simulator_refuses_what_the_kernel_would(program: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        run(program, 0)
