"""System calls prepared by name."""

from __future__ import annotations

import errno
import os

import pytest

from codemode.sandbox.jail.kernel import Prepared, call
from codemode.sandbox.jail.personality import fixed_layout


def test_a_prepared_call_can_be_made_again() -> None:
    getpid = Prepared("getpid")
    assert getpid() == getpid() == os.getpid()


def test_a_refusal_is_an_error_that_names_the_call() -> None:
    with pytest.raises(OSError, match="close: Bad file descriptor") as caught:
        call("close", -1)
    assert caught.value.errno == errno.EBADF


def test_an_unknown_call_is_refused_before_it_is_made() -> None:
    with pytest.raises(OSError, match="no such system call") as caught:
        Prepared("no_such_call")
    assert caught.value.errno == errno.ENOSYS


@pytest.mark.spec("SANDBOX 1.1")
def test_the_fixed_layout_ends_with_its_block() -> None:
    before = call("personality", 0xFFFFFFFF)
    with fixed_layout() as refusal:
        if refusal is None:
            assert call("personality", 0xFFFFFFFF) & 0x40000
    assert call("personality", 0xFFFFFFFF) == before
