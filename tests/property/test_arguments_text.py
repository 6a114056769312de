"""The reader of raw argument text: equal to the standard one on good text, total on any text."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from codemode.runtime.arguments import ArgumentsError, read_arguments
from codemode.runtime.jsontext import JsonTextError, _Reader, compact, parse

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"))
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=6), inner, max_size=4)
    ),
    max_leaves=20,
)
spaces = st.sampled_from([None, 1, "\t"])


@given(value=values, indent=spaces)
def test_both_readers_read_what_was_written(value: Any, indent: Any) -> None:
    text = json.dumps(value, indent=indent)
    assert parse(text) == value
    assert _Reader(text).read() == value


@given(value=values)
def test_compact_text_reads_back(value: Any) -> None:
    assert json.loads(compact(value)) == value


@given(text=st.text(alphabet='{}[]:,"\\ \n0123456789.eE+-truefalsn\ud800é', max_size=40))
def test_the_two_readers_agree_on_any_text(text: str) -> None:
    assert _outcome(lambda: parse(text)) == _outcome(lambda: _Reader(text).read())


@given(text=st.text(max_size=60))
def test_any_text_gives_an_object_or_a_refusal(text: str) -> None:
    try:
        value = read_arguments(text)
    except ArgumentsError:
        return
    assert isinstance(value, dict)


def _outcome(read: Any) -> Any:
    try:
        return repr(read())
    except JsonTextError:
        return "refused"
