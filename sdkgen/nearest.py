"""The known word that was likely meant, for "did you mean". Pure; never raises."""

from __future__ import annotations

import difflib
from collections.abc import Collection


def did_you_mean(name: str, known: Collection[str]) -> str | None:
    """The known name that `name` is likely a slip for, or None."""
    plain = _plain(name)
    by_plain = {_plain(other): other for other in sorted(known, reverse=True)}
    if plain in by_plain:
        return by_plain[plain]
    for other in (f"{plain}s", plain.removesuffix("s")):
        if other in by_plain:
            return by_plain[other]
    close = difflib.get_close_matches(plain, list(by_plain), n=1, cutoff=0.72)
    if close:
        return by_plain[close[0]]
    words = set(_words(name))
    related = [other for other in sorted(known) if words & set(_words(other))]
    return related[0] if len(related) == 1 else None


def _plain(name: str) -> str:
    return name[:100].replace("_", "").replace("-", "").lower()


def _words(name: str) -> list[str]:
    spaced = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name[:100])
    return [word for word in spaced.replace("_", " ").replace("-", " ").split() if len(word) > 2]
