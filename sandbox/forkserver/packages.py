"""What an opt-in package brings along: its dependencies, and one thread for its libraries.

Reads the metadata of what is installed; imports nothing. Must not run unless packages are asked
for: a fork server without them has exactly the modules that it needs.

Source: SANDBOX 5.7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import metadata, util
from typing import Final

#: A fork copies one thread, so numerical libraries must not start pools of their own.
ONE_THREAD: Final[dict[str, str]] = dict.fromkeys(
    (
        "OPENBLAS_NUM_THREADS",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "BLIS_NUM_THREADS",
    ),
    "1",
)

_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")


def with_dependencies(names: Iterable[str]) -> tuple[str, ...]:
    """The importable top-level names of the packages `names` and of all that they require.

    Optional requirements are left out, and so is what is not installed: the package then says
    itself what it misses.
    """
    provided = metadata.packages_distributions()
    importable: dict[str, set[str]] = {}
    for name, distributions in provided.items():
        for distribution in distributions:
            importable.setdefault(_normal(distribution), set()).add(name)
    asked = tuple(dict.fromkeys(names))
    todo = [_normal(owner) for name in asked for owner in provided.get(name, ())]
    seen: set[str] = set()
    found: dict[str, None] = dict.fromkeys(asked)
    while todo:
        distribution = todo.pop()
        if distribution in seen or distribution not in importable:
            continue
        seen.add(distribution)
        found.update(dict.fromkeys(filter(_is_installed, sorted(importable[distribution]))))
        todo += _requirements(distribution)
    return tuple(found)


def _requirements(distribution: str) -> list[str]:
    lines = metadata.requires(distribution) or ()
    matches = (_NAME.match(line) for line in lines if "extra ==" not in line)
    return [_normal(match[0]) for match in matches if match is not None]


def _is_installed(name: str) -> bool:
    """Whether `name` has a file of its own that the fork server can be given."""
    if not name.isidentifier():
        return False
    spec = util.find_spec(name)
    return spec is not None and spec.has_location


def _normal(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()
