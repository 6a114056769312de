"""The seam to a language model, and its twin in memory.

An adapter turns messages and tools into a vendor's request and the answer into a message. It calls
no tool, keeps no state of the loop, and raises what the vendor's client raises.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Protocol, TypeAlias

import anyio.lowlevel

from codemode.runtime.jsontext import compact
from codemode.runtime.loop.messages import AssistantMessage, Message, ToolCall
from codemode.sdkgen import ToolSpec

#: Takes a piece of the assistant's text as it arrives.
OnText: TypeAlias = Callable[[str], None]


class Model(Protocol):
    """Answers one request."""

    async def step(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        on_text: OnText | None = None,
    ) -> AssistantMessage:
        """The model's next message. A cancellation of the calling task ends the request.

        Args:
            messages: The conversation; the system message first.
            tools: What may be called directly; `codemode.sdkgen.wire_tools` gives a vendor's form.
            on_text: Called with each piece of text, if the vendor streams.
        """
        ...


#: What a script says at one step: a message, or a function of the messages and tools.
Answer: TypeAlias = Callable[
    [Sequence[Message], Sequence[ToolSpec]], "AssistantMessage | Awaitable[AssistantMessage]"
]
Turnout: TypeAlias = "AssistantMessage | Answer"


class ScriptedModel:
    """A model that says what its maker wrote, step by step: for tests and examples.

    Attributes:
        requests: The messages and tools of each step so far, for assertions.
    """

    def __init__(self, script: Iterable[Turnout]) -> None:
        self._script = iter(script)
        self.requests: list[tuple[tuple[Message, ...], tuple[ToolSpec, ...]]] = []

    async def step(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        on_text: OnText | None = None,
    ) -> AssistantMessage:
        """The script's next message, its text streamed word by word.

        Raises:
            AssertionError: The script has ended.
        """
        await anyio.lowlevel.checkpoint()
        self.requests.append((tuple(messages), tuple(tools)))
        said: Any = next(self._script, None)
        if said is None:
            raise AssertionError(f"the script has no step {len(self.requests)}")
        if callable(said):
            said = said(messages, tools)
            if not isinstance(said, AssistantMessage):
                said = await said
        message: AssistantMessage = said
        if on_text is not None:
            for word in message.text.split(" "):
                if word:
                    on_text(f"{word} ")
        return message


def call(name: str, /, *, call_id: str = "", **arguments: Any) -> ToolCall:
    """A call as a model would write it."""
    return ToolCall(name=name, arguments=compact(arguments), call_id=call_id)
