"""The `codemode` command, also as `python -m codemode`.

Imports nothing of the engine before it is ready for Ctrl-C: a person may press it while the command
is still loading.
"""

from __future__ import annotations

import os
import signal

#: As a shell reports what SIGINT has ended.
_INTERRUPTED = 128 + signal.SIGINT


def _end(signum: int, frame: object) -> None:
    os._exit(_INTERRUPTED)


def main() -> None:
    """The entry point of the `codemode` command."""
    # Nothing has begun that would have to be undone. An exception would not do: a module that is
    # being imported may catch it, and the interpreter reports it where nobody can.
    begun = signal.getsignal(signal.SIGINT)
    if begun is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    from codemode.runtime.cli.app import main as run

    signal.signal(signal.SIGINT, begun)
    run()


if __name__ == "__main__":
    main()
