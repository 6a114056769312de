"""Bytes at the host's end of the bridge, guided by coverage: a program of its own, not a test.

    pip install atheris        # not among the project's dependencies
    PYTHONPATH=src python tests/fuzz/fuzz_bridge.py [-max_total_time=180] [libFuzzer's options]

The invariant is the one of `test_bridge_bytes`: cut anywhere, bytes are heard alike, and nothing but a
remote error is ever raised. The first byte says where the rest is cut. What fails is printed in hex, and
becomes a line of `corpus/bridge.txt` without its first byte, where the tests hear it for ever.
"""

from __future__ import annotations

import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

#: Optional, and without stubs.
atheris: Any = import_module("atheris")

sys.path.insert(0, str(Path(__file__).parent))

with atheris.instrument_imports(include=["codemode.sandbox.bridge", "codemode.sandbox.values"]):
    import test_bridge_bytes as bytes_of  # type: ignore[import-not-found]  # beside this file


def one(data: bytes) -> None:
    """Hear one input whole, cut at one place, and byte by byte."""
    if not data:
        return
    try:
        bytes_of.agree(data[1:], [data[0]])
    except BaseException:
        sys.stderr.write(f"corpus line: {data[1:].hex()}\n")
        raise


def main() -> None:
    """Fuzz until told to stop, from the corpus and one frame of each kind."""
    with tempfile.TemporaryDirectory() as folder:
        seeds = [*bytes_of.CORPUS, *map(bytes_of.frame, bytes_of.FRAMES)]
        for number, seed in enumerate(seeds):
            (Path(folder) / f"{number:04}").write_bytes(bytes([number % 40]) + seed)
        atheris.Setup([*sys.argv, "-max_len=600", folder], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
