"""What is kept out of the image, tried in an interpreter of its own: this one has imported it all."""

from __future__ import annotations

import subprocess
import sys

import pytest


def _in_fresh_interpreter(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


@pytest.mark.spec("SANDBOX 1.2")
def test_the_library_goes_without_the_hidden_modules() -> None:
    program = """
import sys, types
for name in ("codemode", "codemode.sandbox"):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = []
sys.modules["codemode.sandbox"].__path__ = [PATH]
from codemode.sandbox.guest import lean
import asyncio, xml.sax.saxutils
print(asyncio.base_events.ssl, xml.sax.saxutils.escape("<"), "http.client" in sys.modules)
lean.reveal()
print("ssl" in sys.modules, "urllib.request" in sys.modules)
import ssl
print(ssl.__name__)
"""
    import codemode.sandbox

    path = next(iter(codemode.sandbox.__path__))
    assert _in_fresh_interpreter(program.replace("PATH", repr(path))).splitlines() == [
        "None &lt; False",
        "False False",
        "ssl",
    ]
