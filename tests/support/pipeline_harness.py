"""A pipeline on a fake clock with an owner that keeps every event, for the tests of the runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

from codemode.runtime.clock import FakeClock
from codemode.runtime.definition import Tool
from codemode.runtime.execution import CallRequest
from codemode.runtime.owner import LateSettlement, Owner
from codemode.runtime.pipeline import Pipeline
from codemode.runtime.registry import Registry
from codemode.runtime.result import Result
from codemode.sandbox.values import Json

OPEN: dict[str, Any] = {"type": "object"}


def answering(answer: Any) -> Callable[..., Any]:
    """A hook of any kind that always answers `answer`, also one that its kind may not give."""
    return lambda *_: answer


def noting(word: str, seen: list[str]) -> Callable[..., None]:
    """A hook of any kind that has nothing to say and writes down that it was asked."""
    return lambda *_: seen.append(word)


class Harness:
    """A registry, a pipeline, and what was logged."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.registry = Registry()
        self.options: dict[str, Any] = {}
        self.events: list[tuple[str, dict[str, Json]]] = []
        self.late: list[LateSettlement] = []
        self.owner = Owner(
            record=lambda kind, data: self.events.append((kind, data)),
            hold=nullcontext,
            on_late=self.late.append,
            run_id="run",
        )
        self.pipeline = Pipeline(self.registry, clock=self.clock)
        self._count = 0

    def open(self, **options: Any) -> Pipeline:
        """A fresh pipeline on the same registry and clock; enter it with `async with`."""
        self.pipeline = Pipeline(self.registry, clock=self.clock, **options)
        return self.pipeline

    def add(self, name: str, handler: Callable[..., Any], **options: Any) -> Tool:
        """Register a raw tool with an open root."""
        parameters = options.pop("parameters", OPEN)
        tool = Tool.raw(name, f"The tool {name}.", parameters, handler, **options)
        self.registry.register(tool)
        return tool

    def request(
        self, name: str, arguments: str | Mapping[str, Any] = "{}", **options: Any
    ) -> CallRequest:
        """A request with the harness's owner and a fresh id."""
        self._count += 1
        options.setdefault("owner", self.owner)
        options.setdefault("call_id", f"call-{self._count}")
        return CallRequest(name=name, arguments=arguments, **options)

    async def call(
        self, name: str, arguments: str | Mapping[str, Any] = "{}", **options: Any
    ) -> Result:
        """Execute one call."""
        return await self.pipeline.execute(self.request(name, arguments, **options))

    def kinds(self) -> list[str]:
        """The types of the events so far."""
        return [kind for kind, _ in self.events]
