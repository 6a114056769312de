"""The numbers that the attacks use, against the ones that the jail uses: neither may be wrong."""

from __future__ import annotations

import re
from pathlib import Path

import call_numbers
import pytest

from codemode.sandbox.jail import syscalls


@pytest.mark.parametrize("machine", syscalls.NUMBERS)
def test_the_two_tables_agree_on_what_both_name(machine: syscalls.Machine) -> None:
    attacked, judged = call_numbers.NUMBERS[machine], syscalls.NUMBERS[machine]
    shared = attacked.keys() & judged.keys()
    assert len(shared) > 30
    assert {name: attacked[name] for name in shared} == {name: judged[name] for name in shared}


@pytest.mark.parametrize("machine", syscalls.NUMBERS)
def test_no_two_calls_have_one_number(machine: syscalls.Machine) -> None:
    numbers = call_numbers.NUMBERS[machine]
    assert len(set(numbers.values())) == len(numbers)


@pytest.mark.parametrize("machine", syscalls.NUMBERS)
def test_a_call_that_the_jail_knows_on_a_machine_is_attacked_there(
    machine: syscalls.Machine,
) -> None:
    attacked = {name for numbers in call_numbers.NUMBERS.values() for name in numbers}
    assert attacked & syscalls.NUMBERS[machine].keys() <= call_numbers.NUMBERS[machine].keys()


def test_attacks_name_their_calls_since_a_number_is_another_call_elsewhere() -> None:
    attacks = Path(__file__).parent.glob("attacks/*/*.py")
    numbered = re.compile(r"\b(?:call|probe)\(\d{1,3}\b")
    assert [path.name for path in attacks if numbered.search(path.read_text("utf-8"))] == []
