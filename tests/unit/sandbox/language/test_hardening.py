"""That the replacements are in place, once, and go again."""

from __future__ import annotations

import collections
import copy
import dataclasses
import string
from typing import Any

import pytest

from codemode.sandbox.language.hardening import harden, soften


def _functions() -> list[Any]:
    fields: dict[str, Any] = dict(vars(dataclasses.Field))
    formatters: dict[str, Any] = dict(vars(string.Formatter))
    return [
        collections.namedtuple,
        vars(copy)["_reconstruct"],
        formatters["get_field"],
        fields.get("__setattr__"),
    ]


@pytest.mark.spec("SANDBOX 6.6")
def test_each_stands_once_and_is_put_back_for_a_process_that_goes_on() -> None:
    hardened = _functions()
    harden()
    assert _functions() == hardened
    soften()
    plain = _functions()
    harden()
    assert not any(one is other for one, other in zip(plain, hardened, strict=True))
    assert plain[-1] is None
    assert [one.__code__.co_filename for one in plain[:-1]] == [
        collections.__file__,
        copy.__file__,
        string.__file__,
    ]
