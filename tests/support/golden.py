"""Golden files: texts that people have read and found right, compared byte for byte.

`UPDATE_GOLDEN=1 pytest ...` writes them anew; read the difference before you keep it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

#: The marks under a line of a traceback; each version of Python draws them its own way.
_MARKS = re.compile(r"^ *[~^]+\n", re.MULTILINE)


def check(path: Path, text: str) -> None:
    """Assert that `text` is what the file at `path` holds, but for the marks of tracebacks."""
    text = _MARKS.sub("", text)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), path.name
