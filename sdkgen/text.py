r"""Text of strangers, made safe to show: in a prompt, in a comment, in a docstring.

Descriptions come from tool servers and are untrusted. Nothing that leaves this module can end a
docstring, a code fence or a prompt tag, hide characters from a reader, or run on without an end.
Pure functions; never raises on any `str`, lone surrogates included.

Source: Unicode Standard Annex 9 (bidirectional controls) and Technical Standard 39, 5.4.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Final

#: Longest description that any form shows, in characters.
MAX_DOCUMENTATION: Final = 4_000
#: Longest one-line summary in the catalog, in characters.
MAX_SUMMARY: Final = 80

# What `str.isprintable` lets through though a reader sees nothing: fillers, joiners, selectors.
_INVISIBLE: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
#: They only choose between two looks of the character before.
_LOOKS: Final = frozenset("\ufe0e\ufe0f")
#: What may have to be spelled out; most text has none of it.
_UNUSUAL: Final = re.compile(r"[^ -~\n\t]")
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?|])")
_SPACE: Final = re.compile(r"\s+")
_SENTENCE_END: Final = re.compile(
    r"(?<=[.!?])\s+(?=[A-Z0-9\"'(`])|\n\s*\n|\n(?=\s*(?:[-*#•]|\w+:))"
)
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|no|st|dr|mr|ms)\.|\b[A-Z]\.)$", re.IGNORECASE
)
_NOISE: Final = re.compile(r"^(?:[#*\->\s]|(?i:purpose|description|summary|overview)\s*:)+")


def visible(text: str) -> str:
    """`text` with every hidden or directional character spelled out as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return _UNUSUAL.sub(_spelled, text.replace("\r\n", "\n"))


def _spelled(found: re.Match[str]) -> str:
    character = found[0]
    if is_plain(character):
        return character
    if character in _LOOKS:
        return ""
    if character.isspace() and unicodedata.category(character) == "Zs":
        return " "
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def is_plain(text: str) -> bool:
    """Whether every character can be seen, and stands where it seems to stand."""
    return text.isprintable() and (text.isascii() or _INVISIBLE.isdisjoint(text))


def inert(text: str) -> str:
    """`visible(text)` that cannot close a code fence or pose as a prompt tag."""
    text = visible(text)
    if "```" in text:
        text = text.replace("```", "'''")
    return _TAG.sub("\u2039", text) if "<" in text else text


def folded(text: str, limit: int) -> str:
    """`text` as one inert line of at most `limit` characters."""
    line = _SPACE.sub(" ", inert(text[: 4 * limit + 64])).strip()
    if len(line) <= limit and len(text) <= 4 * limit + 64:
        return line
    if len(line) <= limit:
        return line + "\u2026"
    cut = line[:limit]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit // 2 else cut).rstrip(" ,;:-(") + "\u2026"


def summary(text: str, limit: int = MAX_SUMMARY) -> str:
    """The first sentence of a description, folded, without its full stop."""
    head = _NOISE.sub("", text[:1_000].lstrip())
    end = len(head)
    for match in _SENTENCE_END.finditer(head):
        if not _ABBREVIATION.search(head, 0, match.start()):
            end = match.start()
            break
    return folded(head[:end], limit).rstrip(".: ")


def documentation(text: str, limit: int = MAX_DOCUMENTATION) -> str:
    """A whole description, inert, line breaks kept, cut at `limit` characters with a note."""
    lines = inert(text[:limit]).expandtabs(4).splitlines()
    kept = "\n".join(line.rstrip() for line in lines).strip("\n")
    left_out = len(text) - limit
    return f"{kept}\n[{left_out} more characters]" if left_out > 0 else kept


def without_hidden(text: str) -> str:
    """`text` with its hidden and directional characters taken out."""
    return text if is_plain(text) else "".join(filter(is_plain, text))


def encodable(text: str) -> str:
    """`text` without lone surrogates, which no encoding of JSON can carry."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def literal(value: object) -> str:
    """A JSON scalar as a Python literal on one inert line.

    The literal means exactly `value`: what must not be shown as it is, is escaped.
    """
    if not isinstance(value, str):
        return repr(value)
    is_shown = is_plain(value)
    # JSON spells astral characters as two surrogates, which Python would keep apart.
    is_json = is_shown or max(value) < "\U00010000"
    text = json.dumps(value, ensure_ascii=not is_shown) if is_json else ascii(value)
    if "`" in text or "<" in text or "\x7f" in text:
        text = _TAG.sub(r"\\x3c", text.replace("```", r"\x60\x60\x60")).replace("\x7f", r"\x7f")
    return text


def docstring(text: str, indent: str) -> str:
    """`text` as the lines of a docstring that it cannot leave."""
    body = documentation(text).replace("\\", "\\\\").replace('"', '\\"')
    lines = [indent + line if line else "" for line in body.split("\n")]
    return f'{indent}"""' + "\n".join(lines).strip() + '"""'
