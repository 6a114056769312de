"""A context message from what an author gave: a body, a policy or a wrapper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codemode.runtime.content import as_content
from codemode.runtime.failures import encodable
from codemode.runtime.result import ContextMessage
from codemode.sandbox.values import Json, snapshot


def context_message(
    message: object, *, source: str, meta: Mapping[str, Json] | None = None
) -> ContextMessage:
    """A context from what an author gave: a finished one, text, a block, or a list of them.

    Raises:
        TypeError: The content is none of these.
        ValueError: A text has lone surrogates, or the meta is not lossless JSON.
    """
    if isinstance(message, ContextMessage):
        return context_message(message.content, source=message.source, meta=message.meta)
    frozen: Any = snapshot(dict(meta or {}))
    return ContextMessage(content=as_content(message), source=encodable(source), meta=frozen)
