"""Formatting by the library's own formatters: the same names are open in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from codemode.sandbox.language import DeniedError

Run = Callable[[str], Any]

DENIED = [
    "import string\nstring.Formatter().format('{0.__class__}', 1)",
    "import string\nclass F(string.Formatter): pass\nF().vformat('{0.__class__}', (1,), {})",
    "import string\nclass F(string.Formatter):\n    def get_value(self, k, a, w): return 1\nF().get_field('x.__class__', (), {})",
    "import collections\ncollections.UserString('{0.__class__}').format(1)",
    "import collections\nclass U(collections.UserString): pass\nU('{0.__class__}').format(1)",
    "import logging\nlogging.Formatter('{msg.__class__}', style='{').format(logging.LogRecord('a', 1, 'b', 1, 'm', (), None))",
]


@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.6")
@pytest.mark.parametrize("source", DENIED)
def test_no_formatter_reaches_a_special_attribute(run: Run, source: str) -> None:
    with pytest.raises(DeniedError):
        run(source)
