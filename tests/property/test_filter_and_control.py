"""Filter programs and control messages, for any input."""

from __future__ import annotations

from filter_machine import simulate
from hypothesis import given
from hypothesis import strategies as st

from codemode.sandbox.forkserver import protocol
from codemode.sandbox.jail import bpf

ARCH = 0xC000003E
NUMBERS = st.integers(0, 500)
WORDS = st.integers(0, 2**32 - 1)

ARGUMENTS = st.builds(
    bpf.Argument,
    st.integers(0, 5),
    st.sampled_from(("equals", "lacks_bits")),
    st.integers(0, 7),
)
CASES = st.lists(
    st.builds(
        bpf.Case,
        NUMBERS,
        st.sampled_from((bpf.ALLOW, bpf.ERRNO | 1)),
        st.lists(ARGUMENTS, max_size=3).map(tuple),
    ),
    max_size=30,
)


def holds(condition: bpf.Argument, arguments: list[int]) -> bool:
    low = arguments[condition.index] & 0xFFFF_FFFF
    return low == condition.value if condition.test == "equals" else not low & condition.value


@given(cases=CASES, number=NUMBERS, arguments=st.lists(st.integers(0, 8), min_size=6, max_size=6))
def test_a_filter_answers_by_the_first_case_that_holds(
    cases: list[bpf.Case], number: int, arguments: list[int]
) -> None:
    program = bpf.assemble(cases, arch=ARCH, otherwise=bpf.KILL_PROCESS)
    expected = next(
        (
            case.answer
            for case in cases
            if case.number == number and all(holds(one, arguments) for one in case.conditions)
        ),
        bpf.KILL_PROCESS,
    )
    assert simulate(program, arch=ARCH, number=number, arguments=arguments) == expected


@given(cases=CASES, number=WORDS, arch=WORDS.filter(lambda arch: arch != ARCH))
def test_a_foreign_convention_is_always_killed(
    cases: list[bpf.Case], number: int, arch: int
) -> None:
    program = bpf.assemble(cases, arch=ARCH, otherwise=bpf.ALLOW)
    assert simulate(program, arch=arch, number=number) == bpf.KILL_PROCESS


@given(packet=st.binary(max_size=64))
def test_any_packet_is_a_message_or_refused(packet: bytes) -> None:
    for decode in (protocol.decode_request, protocol.decode_report):
        try:
            message = decode(packet)
        except ValueError:
            continue
        # NaN in a report's time is the one value that is not equal to itself.
        assert decode(message.encode()).encode() == message.encode()
