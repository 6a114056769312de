"""The messages between an agent loop and a model, in no vendor's form.

Pure data. What a model sends is untrusted: the text of a call's arguments is kept as it came.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from codemode.runtime.content import Content, as_content, content_as_json, plain_text
from codemode.runtime.failures import encodable
from codemode.sandbox.values import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call that a model makes.

    Attributes:
        call_id: As the vendor gave it; the loop replaces one that is empty or was used before.
        arguments: The raw JSON text, whole and unparsed.
    """

    name: str
    arguments: str
    call_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemMessage:
    """The host's instructions and, where a program may run, the SDK text. Always the first."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage:
    """A message from a person, or from a call's contexts.

    Attributes:
        source: Who speaks: `user`, a tool's name, `code_mode`, `job`.
    """

    content: Content
    source: str = "user"
    meta: Mapping[str, Json] = field(default_factory=dict[str, Json])

    @classmethod
    def of(cls, message: object, *, source: str = "user") -> UserMessage:
        """From text, a block, a list of them, or a message.

        Raises:
            TypeError: It is none of these.
        """
        if isinstance(message, UserMessage):
            return message
        return cls(content=as_content(message), source=source)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantMessage:
    """What the model said and which calls it makes, in its order.

    Attributes:
        meta: The adapter's own facts, such as tokens used; logged, never sent back.
    """

    content: Content = ()
    calls: tuple[ToolCall, ...] = ()
    meta: Mapping[str, Json] = field(default_factory=dict[str, Json])

    @classmethod
    def of(cls, text: str = "", *calls: ToolCall) -> AssistantMessage:
        """From text and calls; lone surrogates in the text are replaced."""
        return cls(content=as_content(encodable(text)) if text else (), calls=calls)

    @property
    def text(self) -> str:
        """The content's text."""
        return plain_text(self.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolMessage:
    """What the model reads of one call."""

    call_id: str
    name: str
    content: Content
    is_error: bool = False

    @property
    def text(self) -> str:
        """The content's text."""
        return plain_text(self.content)


Message: TypeAlias = "SystemMessage | UserMessage | AssistantMessage | ToolMessage"


def message_as_json(message: Message) -> dict[str, Json]:
    """A message as plain JSON, images by reference: for sizes, tests and transcripts."""
    match message:
        case SystemMessage(text=text):
            return {"role": "system", "content": text}
        case UserMessage(content=content, source=source):
            return {"role": "user", "content": content_as_json(content), "source": source}
        case AssistantMessage(content=content, calls=calls):
            return {
                "role": "assistant",
                "content": content_as_json(content),
                "calls": [
                    {"id": call.call_id, "name": call.name, "arguments": call.arguments}
                    for call in calls
                ],
            }
        case ToolMessage(call_id=call_id, content=content, is_error=is_error):
            return {
                "role": "tool",
                "call_id": call_id,
                "content": content_as_json(content),
                "is_error": is_error,
            }
