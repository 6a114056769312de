"""Objects of the image become immortal, in a process of their own: it cannot be undone."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

from codemode.sandbox.guest import immortal

PROGRAM = """
import sys
from codemode.sandbox.guest.immortal import immortalize

class Thing: ...

ours = Thing()
ours.names = ["a name", ("in", "here")]
counted = immortalize()
later = Thing()
before = sys.getrefcount(ours.names), sys.getrefcount(ours.names[1])
held = [ours.names] * 5 + [ours.names[1]] * 5
after = sys.getrefcount(ours.names), sys.getrefcount(ours.names[1])
print(counted > 1_000, before == after, sys.getrefcount(later) < 10)
"""


def run(program: str) -> str:
    """What `program` prints, in a fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.spec("SANDBOX 1.2")
def test_counts_of_what_was_there_stay_as_they_are_where_the_interpreter_has_such_objects() -> None:
    is_known = sys.version_info[:2] in ((3, 12), (3, 13), (3, 14))
    assert run(PROGRAM) == ("True True True\n" if is_known else "False False True\n")


def test_a_process_of_immortal_objects_goes_on_and_ends_well() -> None:
    program = """
from codemode.sandbox.guest.immortal import immortalize
import gc, json, re
immortalize()
gc.collect()
print(json.dumps({str(i): re.sub("1", "2", str(i)) for i in range(3)}), gc.isenabled())
"""
    assert run(program) == '{"0": "0", "1": "2", "2": "2"} True\n'


@pytest.mark.parametrize("bits", [47, 48, 52, 57], ids="{} bits".format)
def test_an_object_at_the_end_of_any_machine_s_addresses_has_a_count(bits: int) -> None:
    last = (1 << bits) - 16
    counts = immortal._counts_up_to(last)
    assert ctypes.addressof(counts) == 0
    assert ctypes.sizeof(counts) == last + 8
