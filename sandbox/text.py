"""Text as it may cross the bridge, and as a guest's may be shown.

Nothing in a shown text can steer a terminal or break a log.
"""

from __future__ import annotations

import re
from typing import Final

#: Controls but tab, line feed, carriage return; delete; the C1 range, with its second escape.
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def clean(text: str) -> str:
    r"""`text` with control characters and lone surrogates written out, such as `\x1b`."""
    return _CONTROLS.sub(_written_out, text)


def encodable(text: str) -> str:
    """`text` as UTF-8 can say it: lone surrogates become their escapes."""
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode()


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
