"""What changed in a program's bindings between the text that the model read and the run.

Pure. Source: spec CODE_MODE 1.7.
"""

from __future__ import annotations

from typing import Any

from codemode.sandbox.values import Json
from codemode.sdkgen import Sdk


def binding_changes(written_for: Sdk | None, sdk: Sdk) -> dict[str, Json]:
    """The paths that came, went, or take other arguments now; empty when nothing did.

    Args:
        written_for: The SDK when the model wrote; None when nobody knows, which says nothing.
    """
    if written_for is None or written_for.sha256 == sdk.sha256:
        return {}
    before = {binding.path: binding.spec for binding in written_for.bindings}
    now = {binding.path: binding.spec for binding in sdk.bindings}
    return {
        "added": [*sorted(now.keys() - before.keys())],
        "removed": [*sorted(before.keys() - now.keys())],
        "changed": [*sorted(at for at in now.keys() & before.keys() if now[at] != before[at])],
    }


def change_note(changes: dict[str, Json]) -> str:
    """The same for the model."""
    parts: list[str] = []
    for kind in ("added", "removed", "changed"):
        paths: Any = changes[kind]
        if paths:
            parts.append(f"{kind}: {', '.join(paths)}")
    return f"The tools have changed since this program was written ({'; '.join(parts)})."
