"""Tracebacks as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from codemode.sandbox.language import DeniedError

Run = Callable[[str], Any]

TRACE = (
    "import traceback\n"
    "try:\n    getattr((), '__ba' + 'se__')\n"
    "except AttributeError as error:\n    text = traceback.format_exc()\n"
    "text"
)


@pytest.mark.spec("SANDBOX 6.6")
def test_the_sandboxs_own_frames_are_not_shown(run: Run) -> None:
    shown = run(TRACE).result
    assert "program.py" in shown
    assert "sandbox" not in shown.partition("DeniedError")[0]


@pytest.mark.spec("SANDBOX 6.6")
def test_no_values_of_frames_are_shown(run: Run) -> None:
    with pytest.raises(DeniedError, match="it reads frames"):
        run(
            "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError as error:\n"
            "    traceback.TracebackException.from_exception(error, capture_locals=True)"
        )
