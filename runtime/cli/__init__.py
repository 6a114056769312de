"""The command line: `codemode run`, `sdk`, `gateway`, `doctor`, `bench`, `audit` and `policy`."""

from codemode.runtime.cli.app import main

__all__ = ["main"]
