"""Imports all of an opt-in package while there are still files to import it from.

Packages load parts of themselves at their first use; a jailed process has no files by then. Parts
that are for the package's own development, or that miss something, are left out.

Source: SANDBOX 5.7.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import pkgutil
import warnings
from types import ModuleType
from typing import Final

#: Parts of packages that no program uses, and that may start compilers or test runners.
_SKIPPED: Final = frozenset(
    {"tests", "test", "testing", "conftest", "distutils", "f2py", "setup", "__main__"}
)


def preload(name: str) -> None:
    """Import the package `name`, and its parts as far as they can be.

    Raises:
        ImportError: The package itself cannot be imported.
    """
    package = importlib.import_module(name)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")  # deprecated parts say so when they are imported
        _preload_parts(package)


def _preload_parts(package: ModuleType) -> None:
    for _, part, is_package in pkgutil.iter_modules(getattr(package, "__path__", ())):
        if part in _SKIPPED or part.startswith(("_pyinstaller", "test_")):
            continue
        try:
            found = importlib.import_module(f"{package.__name__}.{part}")
        except Exception:  # noqa: BLE001, S112 - a part that misses something is not there
            continue
        if is_package:
            _preload_parts(found)
