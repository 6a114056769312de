"""What bindings may be called, and how they are told to the guest."""

from __future__ import annotations

from typing import Any

import pytest

from codemode.sandbox import naming
from codemode.sandbox.bridge.wire import unpack
from codemode.sandbox.program import Binding, Call, Parameter, Signature


async def handler(call: Call) -> Any:
    return None


PLAIN = Binding(handler=handler)


@pytest.mark.spec("SANDBOX 4.7")
@pytest.mark.parametrize("name", ["f", "_f", "tools.list", "tools.import", "a.b.c", "é", "json"])
def test_names_that_programs_can_write_are_taken(name: str) -> None:
    assert naming.check({name: PLAIN}, "ToolCallError") == {name: PLAIN}


@pytest.mark.spec("SANDBOX 4.7")
@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "a.",
        ".a",
        "a..b",
        "a-b",
        "1a",
        "a b",
        "class",
        "if.x",
        "print",
        "len.x",
        "open",
        "__a",
        "a.__b",
        "E",
    ],
)
def test_other_names_are_misuse(name: str) -> None:
    with pytest.raises(ValueError, match="binding"):
        naming.check({name: PLAIN}, "E")


@pytest.mark.parametrize("error_name", ["", "a b", "class"])
def test_the_error_class_needs_a_name_too(error_name: str) -> None:
    with pytest.raises(ValueError, match="error_name"):
        naming.check({}, error_name)


@pytest.mark.spec("SANDBOX 4.7")
def test_aliases_are_granted_and_must_not_clash() -> None:
    one = Binding(handler=handler, aliases=("g.f", "tools.g.f"))
    assert set(naming.check({"f": one}, "E")) == {"f", "g.f", "tools.g.f"}
    with pytest.raises(ValueError, match="given twice"):
        naming.check({"f": one, "g.f": PLAIN}, "E")
    with pytest.raises(ValueError, match="both a function and a namespace"):
        naming.check({"g": PLAIN, "x": one}, "E")


def test_rows_carry_all_that_the_guest_needs() -> None:
    signature = Signature(
        parameters=(Parameter(key="from", name="from_", required=True),), is_closed=True, doc="D"
    )
    binding = Binding(
        handler=handler, label="a-b", aliases=("c",), is_hidden=True, signature=signature
    )
    assert naming.rows({"a": binding, "b": PLAIN}) == [
        ["a", "a-b", ("c",), True, naming.pack_signature(signature)],
        ["b", "", (), False, None],
    ]
    assert unpack(naming.pack_signature(signature), nesting=3) == [
        [["from", "from_", True, False]],
        True,
        "D",
    ]
