"""Prints docs/language.md."""

from __future__ import annotations

import sys

from codemode.sandbox.language.document import document

sys.stdout.write(document())
