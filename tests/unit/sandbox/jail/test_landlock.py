"""The rule set that allows nothing, for each ABI."""

from __future__ import annotations

import struct

import pytest

from codemode.sandbox.jail import landlock


@pytest.mark.spec("SANDBOX 2.2")
@pytest.mark.parametrize(
    ("abi", "words"),
    [
        (1, (0x1FFF,)),
        (2, (0x3FFF,)),
        (3, (0x7FFF,)),
        (4, (0x7FFF, 3)),
        (5, (0xFFFF, 3)),
        (6, (0xFFFF, 3, 3)),
        (99, (0xFFFF, 3, 3)),
    ],
)
def test_each_abi_handles_all_that_it_knows_and_no_more(abi: int, words: tuple[int, ...]) -> None:
    assert struct.unpack(f"={len(words)}Q", landlock.attribute(abi)) == words
