"""What the model has read and said in a session, and what waits to be read.

Every message is in the log before it is in the conversation. The system message is not here: it is
made anew for each step. Source: spec PIPELINE 9.3, 11.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from codemode.runtime.attachments import AttachmentStore, keep_images
from codemode.runtime.content import Block, Text
from codemode.runtime.execution import new_call_id
from codemode.runtime.failures import encodable, escaped
from codemode.runtime.loop.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from codemode.runtime.loop.writer import SessionWriter
from codemode.runtime.result import Result


class Conversation:
    """The messages of one session.

    Args:
        attachments: Keeps the images of what is delivered.

    Attributes:
        messages: In order.
    """

    def __init__(self, attachments: AttachmentStore) -> None:
        self.messages: list[Message] = []
        self._attachments = attachments
        self._waiting: list[UserMessage] = []
        self._call_ids: set[str] = set()

    @property
    def is_waiting(self) -> bool:
        """Whether something was said that the model has not read."""
        return bool(self._waiting)

    def say(self, message: UserMessage) -> None:
        """Let a message wait for the next step's boundary."""
        self._waiting.append(message)

    def deliver(self, writer: SessionWriter, ended: Sequence[UserMessage]) -> None:
        """Append what jobs that ended came to, and what was said since the last step."""
        waiting, self._waiting = [*ended, *self._waiting], []
        for message in waiting:
            keep_images(message.content, self._attachments)
            self._append(writer, message)

    def identified(self, message: AssistantMessage) -> AssistantMessage:
        """The message with its calls under ids that the session has not seen.

        Lone surrogates, half an emoji of a model, could be neither logged nor sent: they are
        replaced in the text and escaped in the calls.
        """
        return replace(
            message,
            content=tuple(map(_encodable, message.content)),
            calls=tuple(map(self._identified, message.calls)),
        )

    def answered(self, writer: SessionWriter, message: AssistantMessage) -> None:
        """Append the model's own message."""
        writer.assistant(message)
        self.messages.append(message)

    def settled(self, writer: SessionWriter, results: Sequence[Result]) -> None:
        """What the model reads of a batch: every result, then the contexts, first in, first out."""
        for result in results:
            self.messages.append(
                ToolMessage(
                    call_id=result.call_id,
                    name=result.tool_name,
                    content=result.content,
                    is_error=result.is_error,
                )
            )
        for result in results:
            for context in result.contexts:
                self._append(
                    writer,
                    UserMessage(content=context.content, source=context.source, meta=context.meta),
                )

    def _append(self, writer: SessionWriter, message: UserMessage) -> None:
        writer.user(message)
        self.messages.append(message)

    def _identified(self, call: ToolCall) -> ToolCall:
        call_id = encodable(call.call_id)
        if not call_id or call_id in self._call_ids:
            call_id = new_call_id()
        self._call_ids.add(call_id)
        return ToolCall(name=escaped(call.name), arguments=escaped(call.arguments), call_id=call_id)


def _encodable(block: Block) -> Block:
    return Text(encodable(block.text)) if isinstance(block, Text) else block
