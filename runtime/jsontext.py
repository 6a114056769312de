"""The raw argument text of a model: strict JSON at any depth, and JSON text for a model to read.

Duplicate keys, a root that is not an object, trailing text and the numbers that JSON does not have
are refused. The fast reader is the standard one; where it runs out of stack an iterative reader
with the same rules takes over.

Source: RFC 8259.
"""

from __future__ import annotations

import json
import json.decoder
import re
from collections.abc import Callable
from json.decoder import JSONDecodeError
from typing import Any, Final, NoReturn, cast

import msgspec

from codemode.runtime.log.canonical import encode
from codemode.sandbox.values import Json

#: Longer texts are refused before they are read.
MAX_CHARACTERS: Final = 64 << 20

#: The standard reader of one string; typeshed does not know its module-level name.
_scan_string: Final[Callable[[str, int, bool], tuple[str, int]]] = vars(json.decoder)["scanstring"]

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORDS: Final[dict[str, Json]] = {"true": True, "false": False, "null": None}
_WORD: Final = re.compile(r"true|false|null")


class JsonTextError(ValueError):
    """The text is not one strict JSON object. The message says where."""


def parse_object(text: str) -> dict[str, Any]:
    """Read one JSON object.

    Raises:
        JsonTextError: See the module.
    """
    value = parse(text)
    if not isinstance(value, dict):
        raise JsonTextError(f"the arguments must be a JSON object, not {_kind(value)}")
    return cast("dict[str, Any]", value)


def parse(text: str) -> Any:
    """Read one JSON value of any kind.

    Raises:
        JsonTextError: See the module.
    """
    if len(text) > MAX_CHARACTERS:
        raise JsonTextError(f"longer than {MAX_CHARACTERS} characters")
    try:
        return _decoder.decode(text)
    except RecursionError:
        return _Reader(text).read()
    except JSONDecodeError as error:
        raise JsonTextError(f"not JSON: {error.msg} at character {error.pos}") from None
    except JsonTextError:
        raise
    except ValueError:
        raise JsonTextError("not JSON: a number with too many digits") from None


def compact(value: Json) -> str:
    """Compact JSON text in the value's own order of keys, for a model to read."""
    try:
        return _encode(value).decode()
    except RecursionError:
        return encode(value).decode()


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise JsonTextError(f"the key {key[:100]!r} occurs twice in one object")
            seen.add(key)
    return found


def _constant(word: str) -> NoReturn:
    raise JsonTextError(f"{word} is not JSON")


_decoder: Final = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant)
_encode: Final = msgspec.json.Encoder().encode


def _kind(value: object) -> str:
    names: dict[type, str] = {
        list: "a list",
        str: "a string",
        bool: "a boolean",
        type(None): "null",
    }
    return names.get(type(value), "a number")


class _Reader:
    """The same language without recursion: one stack of open containers."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def read(self) -> Any:
        """The one value of the text."""
        root: list[Any] = []
        stack: list[list[Any] | dict[str, Any]] = [root]
        key = ""
        self._skip()
        while True:
            parent = stack[-1]
            value, is_open = self._value()
            if isinstance(parent, dict):
                parent[key] = value
            else:
                parent.append(value)
            if is_open:
                stack.append(value)
            while len(stack) > 1:
                container = stack[-1]
                if self._take("}" if isinstance(container, dict) else "]"):
                    stack.pop()
                    is_open = False
                    continue
                if not is_open and not self._take(","):
                    self._fail("expecting a comma or a closing bracket")
                if isinstance(container, dict):
                    key = self._key(container)
                break
            else:
                if self._at != len(self._text):
                    self._fail("extra text")
                return root[0]

    def _value(self) -> tuple[Any, bool]:
        text, at = self._text, self._at
        opener = text[at : at + 1]
        if opener == "{" or opener == "[":
            self._at += 1
            self._skip()
            return ({} if opener == "{" else []), True
        if opener == '"':
            return self._string(), False
        if word := _WORD.match(text, at):
            self._at = word.end()
            self._skip()
            return _WORDS[word[0]], False
        number = _NUMBER.match(text, at)
        if number is None:
            self._fail("expecting a value")
        self._at = number.end()
        self._skip()
        try:
            return (float(number[0]) if number[1] or number[2] else int(number[0])), False
        except ValueError:
            raise JsonTextError("not JSON: a number with too many digits") from None

    def _string(self) -> str:
        try:
            string, self._at = _scan_string(self._text, self._at + 1, True)
        except JSONDecodeError as error:
            raise JsonTextError(f"not JSON: {error.msg} at character {error.pos}") from None
        self._skip()
        return string

    def _key(self, container: dict[str, Any]) -> str:
        if self._text[self._at : self._at + 1] != '"':
            self._fail("expecting a key in double quotes")
        key = self._string()
        if key in container:
            raise JsonTextError(f"the key {key[:100]!r} occurs twice in one object")
        if not self._take(":"):
            self._fail("expecting a colon")
        return key

    def _take(self, mark: str) -> bool:
        if self._text[self._at : self._at + 1] != mark:
            return False
        self._at += 1
        self._skip()
        return True

    def _skip(self) -> None:
        match = _SPACE.match(self._text, self._at)
        self._at = match.end() if match else self._at

    def _fail(self, what: str) -> NoReturn:
        raise JsonTextError(f"not JSON: {what} at character {self._at}")
