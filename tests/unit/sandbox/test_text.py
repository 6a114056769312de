"""Text of a guest as it may be shown."""

from __future__ import annotations

import pytest

from codemode.sandbox.text import clean


@pytest.mark.spec("SANDBOX 7.3")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\r\nc é 漢", "a\tb\r\nc é 漢"),
        ("\x00\x1b[31m\x07\x7f", "\\x00\\x1b[31m\\x07\\x7f"),
        ("\x9b31m", "\\x9b31m"),
        ("\ud800x\udfff", "\\ud800x\\udfff"),
    ],
)
def test_controls_are_written_out_and_all_else_stays(text: str, shown: str) -> None:
    assert clean(text) == shown
    clean(text).encode()
