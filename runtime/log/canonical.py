"""Canonical form `c1`: the one sequence of bytes that stands for a JSON value.

UTF-8 JSON, keys sorted by code point, no spaces, integers in decimal, floats by shortest repr, no
ASCII escaping. `encode` uses a fast encoder where its bytes equal that definition and our own
where they do not (floats with an exponent, values nested too deep for it). It must never be given
a value that has not passed the lossless boundary: NaN has no canonical form.

Source: docs/audit.md, "Canonical form c1".
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, cast

import msgspec

from codemode.sandbox.values import Json

#: What precedes the canonical bytes in every digest of an event, so that a form can change.
PREFIX: Final = b"c1\n"

_fast: Final = msgspec.json.Encoder(order="sorted").encode
_in_order: Final = msgspec.json.Encoder().encode
_fast_decode: Final = msgspec.json.Decoder().decode
#: The standard reader of one text: given the position after its quote, gives text and end.
_read_text = cast(
    "Callable[[str, int, bool], tuple[str, int]]",
    json.decoder.scanstring,  # type: ignore[attr-defined] # public, but not in the stubs
)
_text: Final = json.JSONEncoder(ensure_ascii=False).encode

#: Where the fast encoder writes a float otherwise than `repr`: 1e16 for 1e+16, 0.00001 for 1e-05.
#: The first two find candidates at the speed of memchr, the third looks whether they are numbers.
#: A match inside a text costs time and changes nothing.
_EXPONENT: Final = re.compile(rb"e-?[0-9]+(?:[,\]}]|$)")
_SMALL: Final = b"0.0000"
_OTHER_FLOAT: Final = re.compile(rb"(?:^|[:,\[])-?(?:[0-9.]+e[0-9-]|0\.0000)")

_INFINITY: Final = float("inf")
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORDS: Final = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}


def encode(value: Json) -> bytes:
    """The canonical bytes of a lossless JSON value, at any depth.

    Raises:
        ValueError: A text holds a lone surrogate (as `UnicodeEncodeError`).
    """
    try:
        body = _fast(value)
    except RecursionError:
        return encode_slowly(value)
    if (_EXPONENT.search(body) or _SMALL in body) and _OTHER_FLOAT.search(body):
        return encode_slowly(value)
    return body


def encode_in_order(value: Json) -> bytes:
    """JSON bytes that keep the order of keys, which a program can see; not the canonical form."""
    try:
        return _in_order(value)
    except RecursionError:
        return encode_slowly(value, is_sorted=False)


def sha256_of(value: Json) -> str:
    """SHA-256 of the value's canonical bytes, in hexadecimal (without the event prefix)."""
    return hashlib.sha256(encode(value)).hexdigest()


def encode_slowly(value: Json, *, is_sorted: bool = True) -> bytes:
    """The definition itself, as an iterative encoder; `encode` equals it byte for byte."""
    out: list[str] = []
    # Each open container: what is left of it, its closing bracket, whether it has members yet.
    stack: list[tuple[Iterator[Any], str]] = []
    current: Any = value
    while True:
        if isinstance(current, dict):
            pairs = cast("dict[str, Json]", current).items()
            stack.append((iter(sorted(pairs) if is_sorted else pairs), "}"))
            out.append("{")
            is_first = True
        elif isinstance(current, list | tuple):
            stack.append((iter(cast("list[Json]", current)), "]"))
            out.append("[")
            is_first = True
        else:
            out.append(_scalar(current))
            is_first = False
        while stack:
            members, closing = stack[-1]
            try:
                current = next(members)
            except StopIteration:
                out.append(closing)
                stack.pop()
                is_first = False
                continue
            if not is_first:
                out.append(",")
            if closing == "}":
                key, current = current
                out.append(_text(key) + ":")
            break
        else:
            return "".join(out).encode()


def _scalar(value: object) -> str:
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float) and value - value == 0:
        return float.__repr__(value)
    raise ValueError(f"{type(value).__name__} has no canonical form")


def decode(body: bytes) -> Json:
    """Read JSON bytes at any depth.

    Raises:
        ValueError: Not UTF-8 JSON, or a number that no float holds.
    """
    try:
        return cast("Json", _fast_decode(body))
    except RecursionError:
        return decode_slowly(body)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from error


def decode_slowly(body: bytes) -> Json:
    """An iterative JSON reader, for values nested too deep for the fast one."""
    text = body.decode()
    position = _skip(text, 0)
    root: list[Json] = []
    stack: list[list[Json] | dict[str, Json]] = [root]
    key = ""
    while True:
        opener = text[position : position + 1]
        value: Json
        if opener in ("[", "{") and opener:
            value = [] if opener == "[" else {}
            position = _skip(text, position + 1)
        else:
            value, position = _read_scalar(text, position)
        parent = stack[-1]
        if isinstance(parent, list):
            parent.append(value)
        else:
            parent[key] = value
        is_fresh = isinstance(value, list | dict)
        if isinstance(value, list | dict):
            stack.append(value)
        # Close what ends here, then step over the comma to the next member.
        while len(stack) > 1:
            container = stack[-1]
            mark = text[position : position + 1]
            if mark == ("]" if isinstance(container, list) else "}"):
                stack.pop()
                position = _skip(text, position + 1)
                is_fresh = False
                continue
            if not is_fresh:
                if mark != ",":
                    raise ValueError(f"no comma or closing bracket at character {position}")
                position = _skip(text, position + 1)
            if isinstance(container, dict):
                key, position = _read_key(text, position)
            break
        else:
            if position != len(text):
                raise ValueError(f"text after the value at character {position}")
            return root[0]


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _read_key(text: str, position: int) -> tuple[str, int]:
    if text[position : position + 1] != '"':
        raise ValueError(f"no key at character {position}")
    key, position = _read_text(text, position + 1, True)
    position = _skip(text, position)
    if text[position : position + 1] != ":":
        raise ValueError(f"no colon at character {position}")
    return key, _skip(text, position + 1)


def _read_scalar(text: str, position: int) -> tuple[Json, int]:
    opener = text[position : position + 1]
    if opener == '"':
        string, position = _read_text(text, position + 1, True)
        return string, _skip(text, position)
    if opener in _WORDS:
        word, value = _WORDS[opener]
        if text.startswith(word, position):
            return value, _skip(text, position + len(word))
    match = _NUMBER.match(text, position)
    if not match:
        raise ValueError(f"no value at character {position}")
    number = float(match[0]) if match[1] or match[2] else int(match[0])
    if number in (_INFINITY, -_INFINITY):
        raise ValueError(f"a number that no float holds at character {position}")
    return number, _skip(text, match.end())
