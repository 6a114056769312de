"""Scratch files: an in-memory tree under the whole standard library of one guest.

`prepare` once in the fork server, after every import; `install` in the guest when its program has
come; `collect` after the program's end. From `install` on (from `cover`, if the fork server calls
it) `os`, `io` and `open` know the tree alone; the sandbox's own modules keep an `os` that is real.
"""

from codemode.sandbox.guest.scratch.run import (
    collect,
    cover,
    install,
    limit_of,
    notices,
    prepare,
    refurnish,
    uncover,
)
from codemode.sandbox.guest.scratch.views import OFFERED, names

__all__ = [
    "OFFERED",
    "collect",
    "cover",
    "install",
    "limit_of",
    "names",
    "notices",
    "prepare",
    "refurnish",
    "uncover",
]
