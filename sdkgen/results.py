"""MCP result envelopes -> the value that a program gets.

structuredContent, else one text block that parses as JSON, else the text; a `{"result": ...}`
wrapper goes only where the source marks it as its own. Pure functions of plain dicts; nothing in an
envelope is trusted, and nothing raises.

Source: Model Context Protocol 2025-06-18, "Tools: Structured Content".
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from codemode.sdkgen.documents import object_of
from codemode.sdkgen.model import WRAP_MARKER

_WRAPPED: Final = {"result"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwrapped:
    """What an envelope holds.

    Attributes:
        value: Plain JSON; None where the envelope is empty.
        is_error: The tool reports a failure; `text` is its message.
        text: The envelope's text blocks, one below the other.
        others: Content blocks that are not text (images, audio, resources), as they came.
        was_wrapped: A marked `{"result": ...}` was taken off.
    """

    value: object
    is_error: bool = False
    text: str = ""
    others: tuple[Mapping[str, object], ...] = ()
    was_wrapped: bool = False


def unwrap_result(
    envelope: Mapping[str, object], output_schema: Mapping[str, object] | None = None
) -> Unwrapped:
    """Take the value out of an MCP `tools/call` result.

    Args:
        envelope: The result as JSON, with the protocol's own key names.
        output_schema: The tool's declared output; its marker, or the same in the envelope's
            `_meta`, says that `{"result": ...}` is a wrapper.
    """
    texts, others = _blocks(envelope.get("content"))
    text = "\n".join(texts)
    is_error = envelope.get("isError") is True
    structured = envelope.get("structuredContent")
    if is_error:
        message = text or (
            json.dumps(structured, ensure_ascii=False) if structured is not None else ""
        )
        return Unwrapped(value=structured, is_error=True, text=message, others=others)
    if structured is not None:
        value, was_wrapped = _without_wrapper(structured, _is_marked(envelope, output_schema))
        return Unwrapped(value=value, text=text, others=others, was_wrapped=was_wrapped)
    if not texts:
        return Unwrapped(
            value=None if not others else [dict(block) for block in others], others=others
        )
    is_text = len(texts) > 1 or object_of(output_schema).get("type") == "string"
    return Unwrapped(value=text if is_text else _decoded(text), text=text, others=others)


def _is_marked(envelope: Mapping[str, object], output_schema: Mapping[str, object] | None) -> bool:
    if output_schema is not None and output_schema.get(WRAP_MARKER) is True:
        return True
    source = object_of(object_of(envelope.get("_meta")).get("fastmcp"))
    return source.get("wrap_result") is True


def _without_wrapper(structured: object, is_marked: bool) -> tuple[object, bool]:
    wrapper = object_of(structured)
    if is_marked and set(wrapper) == _WRAPPED:
        return wrapper["result"], True
    return structured, False


def _blocks(content: object) -> tuple[list[str], tuple[Mapping[str, object], ...]]:
    texts: list[str] = []
    others: list[Mapping[str, object]] = []
    for block in cast("list[object]", content) if isinstance(content, (list, tuple)) else []:
        if not isinstance(block, Mapping):
            continue
        fields = cast("Mapping[str, object]", block)
        text = fields.get("text")
        if fields.get("type") == "text" and isinstance(text, str):
            texts.append(text)
        else:
            others.append(fields)
    return texts, tuple(others)


def _decoded(text: str) -> object:
    """The JSON that the whole text is; otherwise the text.

    Numbers that would lose their value (NaN, infinities, integers beyond 64 bits) leave it text.
    """
    try:
        return json.loads(text, parse_constant=_refuse, parse_int=_integer, parse_float=_number)
    except (ValueError, RecursionError):
        return text


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


def _integer(digits: str) -> int:
    if len(digits) > 20 or not -(1 << 63) <= (value := int(digits)) < 1 << 63:
        raise ValueError("beyond 64 bits")
    return value


def _number(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError("beyond a double")
    return value
