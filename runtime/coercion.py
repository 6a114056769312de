"""The ready-made lenient coercion: text where a schema wants something else, and nothing more.

Decodes a JSON string where an object or array is required, and a numeric string where a number is.
It never guesses between readings: a replacement stays only if the schema then accepts that place.
"""

from __future__ import annotations

import math
from typing import Any, Final

from codemode.runtime.jsontext import JsonTextError, parse
from codemode.sandbox.values import InvalidValueError, snapshot, thaw
from codemode.sdkgen import Validator

_KEYWORDS: Final = frozenset({"type", "anyOf", "oneOf"})


def coerce(value: Any, validator: Validator) -> tuple[Any, bool]:
    """Replace strings that the schema refuses by what they spell, where it accepts that.

    Args:
        value: A frozen object; it is not changed.

    Returns:
        The object (the same one when nothing was replaced) and whether anything was.
    """
    refused = {
        violation.pointer: violation
        for violation in validator.violations(value)
        if violation.pointer and violation.keyword in _KEYWORDS
    }
    if not refused:
        return value, False
    changed = thaw(value)
    originals: dict[str, str] = {}
    for pointer in refused:
        holder, key = _locate(changed, pointer)
        if holder is not None and type(holder[key]) is str:
            spelled = _spelled(holder[key])
            if spelled is not None:
                originals[pointer] = holder[key]
                holder[key] = spelled
    still = {violation.pointer for violation in validator.violations(changed)}
    for pointer, original in originals.items():
        if any(at == pointer or at.startswith(pointer + "/") for at in still):
            holder, key = _locate(changed, pointer)
            if holder is not None:
                holder[key] = original
    if all(
        any(at == pointer or at.startswith(pointer + "/") for at in still) for pointer in originals
    ):
        return value, False
    try:
        return snapshot(changed), True
    except InvalidValueError:
        return value, False


def _spelled(text: str) -> Any:
    """The object, list or finite number that `text` spells, or None."""
    try:
        value = parse(text)
    except JsonTextError:
        return None
    if type(value) in (dict, list):
        return value
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if is_number and math.isfinite(value) else None


def _locate(root: Any, pointer: str) -> tuple[Any, Any]:
    """The container and key that `pointer` names, or (None, None)."""
    holder: Any = None
    key: Any = None
    current: Any = root
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        holder, key = current, _key(current, name)
        if key is None:
            return None, None
        current = holder[key]
    return holder, key


def _key(holder: Any, name: str) -> Any:
    """The key or index that `name` is in `holder`; None when there is none."""
    if isinstance(holder, dict):
        return name if name in holder else None
    if isinstance(holder, list) and name.isdigit():
        return int(name) if int(name) < _length(holder) else None
    return None


def _length(items: Any) -> int:
    return len(items)
