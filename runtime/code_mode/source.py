"""The program's text as a model sends it: the Markdown fence around it is removed.

The text is never parsed here: programs are compiled in a guest only.
Source: spec CODE_MODE 2.6.
"""

from __future__ import annotations

import re
from typing import Final

_FENCE: Final = re.compile(
    r"\A\s*(?P<mark>`{3,}|~{3,})[ \t]*(?:python3?|py)?[ \t]*\r?\n"
    r"(?P<body>.*?)\r?\n?(?P=mark)[`~]*\s*\Z",
    re.DOTALL | re.IGNORECASE,
)


def unfence(text: str) -> str:
    """The program inside one Markdown fence, or the text itself when there is none."""
    match = _FENCE.match(text)
    return match["body"] + "\n" if match else text
