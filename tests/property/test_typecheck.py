"""What reads foreign text in the type check: the scan of a program, and the server's bytes."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemode.runtime.typecheck.calls import call_at
from codemode.runtime.typecheck.regions import Tagger
from codemode.runtime.typecheck.text import ProgramText
from codemode.runtime.typecheck.wire import Decoder, WireError, encode

PIECES = st.sampled_from(
    [
        *("tools", ".f", "(", ")", "[", "]", "{", ":", ",", "=", " ", "    ", "\n", "\\\n", "\t"),
        *("async def main():", "def f():", "lambda: ", "await ", "from ", "import ", "class A:"),
        *("'", '"', "'''", '"""', "\\", "#", "f'", "é", "😀", "github", "\r\n"),
    ]
)
PROGRAMS = st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=60)
TAGGER = Tagger(["tools", "github"])


@pytest.mark.spec("SDK 6.1")
@given(source=PROGRAMS)
def test_no_text_moves_when_it_is_tagged(source: str) -> None:
    program = ProgramText(source)
    code, bare = program.code, program.uncommented
    text = TAGGER.tagged(program)
    assert len(code) == len(bare) == len(text) == len(source)
    changed = [at for at, letter in enumerate(bare) if text[at] != letter]
    assert all(source.startswith(("tools", "github"), at) for at in changed)
    assert all(code[at] == source[at] for at in changed)


@given(source=PROGRAMS)
def test_any_text_has_lines_in_order_and_functions_that_are_used_or_not(source: str) -> None:
    program = ProgramText(source)
    edges = [edge for line in program.lines for edge in (line.start, line.end)]
    assert edges == sorted(edges)
    assert program.used <= set(range(len(program.functions)))
    assert not any(program.is_unused(at) for at in range(len(source)) if not program.functions)


@given(source=PROGRAMS, data=st.data())
def test_a_call_is_read_at_any_range(source: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(source)))
    end = data.draw(st.integers(start, len(source)))
    call = call_at(ProgramText(source).code, start, end)
    assert call is None or isinstance(call.may_unpack, bool)


MESSAGES = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=3)


@given(messages=st.lists(MESSAGES, max_size=4), cuts=st.lists(st.integers(0, 300), max_size=6))
def test_messages_come_back_however_they_are_cut(
    messages: list[dict[str, object]], cuts: list[int]
) -> None:
    data = b"".join(map(encode, messages))
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    decoder = Decoder()
    found = [message for start, end in pairwise(edges) for message in decoder.feed(data[start:end])]
    assert found == [{"jsonrpc": "2.0", **message} for message in messages]


@given(data=st.binary(max_size=80))
def test_garbage_gives_messages_or_a_wire_error(data: bytes) -> None:
    decoder = Decoder()
    with suppress(WireError):
        assert all(type(message) is dict for message in decoder.feed(data))
