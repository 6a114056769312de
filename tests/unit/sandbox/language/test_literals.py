"""Names of attributes that are written out in a class body, or in a text to format."""

from __future__ import annotations

import ast

import pytest

from codemode.sandbox.language import PolicyRefusal, compile_program
from codemode.sandbox.language.literals import is_vetted_text, vet_in_class

REFUSED = {
    "class A:\n __match_args__ = ('__class__',)": "name __match_args__",
    "class A:\n __match_args__ = names": "name __match_args__",
    "class A:\n __slots__ = ('__del__',)": "name __slots__",
}


@pytest.mark.spec("SANDBOX 6.2")
@pytest.mark.parametrize(("source", "construct"), REFUSED.items())
def test_a_literal_that_names_what_is_not_open_is_refused(source: str, construct: str) -> None:
    with pytest.raises(PolicyRefusal) as caught:
        compile_program(source)
    assert construct in {refusal.construct for refusal in caught.value.refusals}


ACCEPTED = [
    "class A:\n    __slots__ = ('_a', 'b')\n    __hash__ = None\n    __match_args__ = ('b',)",
    "'{x.real} {0[1]}'.format([1, 2], x=3)",
]


@pytest.mark.spec("SANDBOX 5.1")
@pytest.mark.parametrize("source", ACCEPTED)
def test_open_names_are_accepted(source: str) -> None:
    compile_program(source)


@pytest.mark.parametrize("value", ["names", "['a']", "{'a': 'what it is'}"])
def test_slots_that_are_not_written_out_for_good_are_looked_at_when_they_run(value: str) -> None:
    statement = ast.parse(f"__slots__ = {value}").body[0]
    vet_in_class(statement)
    assert ast.unparse(statement) == f"__slots__ = $slots({value})"


@pytest.mark.parametrize(
    ("text", "is_vetted"),
    [
        ("'{0.real}'", True),
        ("'{0.__class__}'", False),
        ("'{0.__class__.__name__}'", True),
        ("b'{0}'", False),
        ("text", False),
    ],
)
def test_a_text_is_vetted_by_the_names_in_its_fields(text: str, is_vetted: bool) -> None:
    assert is_vetted_text(ast.parse(text, mode="eval").body) is is_vetted
