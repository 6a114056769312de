"""The command line: `codemode run`, `sdk`, `doctor` and `audit`."""

from codemode.runtime.cli.app import main

__all__ = ["main"]
