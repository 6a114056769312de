"""The MCP client adapter: a server's tools as tools of the runtime, through the official SDK.

The server is a stranger: its schemas degrade node by node instead of failing, its descriptions are
untrusted text, and a server that dies fails the call that it was serving. It is given no
environment but the SDK's short safe list. Needs the extra `mcp`.
Source: Model Context Protocol, "Tools"; the `mcp` package, version 2.
"""

from __future__ import annotations

import base64
import binascii
import logging
import math
import os
import re
import shlex
import tempfile
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Final, cast

import anyio

from codemode.runtime.content import Block, Image, Text
from codemode.runtime.definition import Arguments, Output, Tool, render_json
from codemode.runtime.doors import OutputError
from codemode.runtime.errors import MisuseError, ToolError
from codemode.runtime.execution import RunContext
from codemode.sandbox.errors import CodeModeError
from codemode.sandbox.values import Json, thaw
from codemode.sdkgen import unwrap_result
from codemode.sdkgen.documents import list_of

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import Tool as McpTool

_logger: Final = logging.getLogger("codemode.mcp")
_CONNECT_S: Final = 30.0
_STDERR_TAIL: Final = 2_000
_NOISE: Final = re.compile(
    r"\b(mcp|server)\b|[-_\s]+(mcp|server)\b|\b(mcp|server)[-_\s]+", re.IGNORECASE
)


class McpServerError(CodeModeError):
    """An MCP server could not be started or reached. Nothing ran; check the command or the address.

    Attributes:
        server: The command or address as given.
    """

    def __init__(self, server: str, reason: str) -> None:
        super().__init__(f"MCP server {server!r}: {reason}")
        self.server = server


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """Where a server is, and the group under which programs find its tools.

    Attributes:
        target: A command line, or an http(s) address.
        group: The Python name of the group; None takes it from the server's own name.
    """

    target: str
    group: str | None = None

    @classmethod
    def parse(cls, text: str) -> McpServer:
        """Read `COMMAND`, `ADDRESS`, or either after `GROUP=`.

        Raises:
            MisuseError: There is nothing to start.
        """
        name, equals, rest = text.partition("=")
        if equals and name.isidentifier():
            server = cls(target=rest.strip(), group=name)
        else:
            server = cls(target=text.strip())
        if not server.target:
            raise MisuseError(f"{text!r} names no MCP server: give a command or an address")
        return server


@asynccontextmanager
async def mcp_tools(server: McpServer) -> AsyncGenerator[list[Tool]]:
    """Connect, and give the server's tools; the server ends with the context.

    Raises:
        McpServerError: It cannot be started, does not answer, or does not speak the protocol.
    """
    client_class = _import_client()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as stderr:
        is_connected = False
        raised: Exception | None = None
        try:
            with anyio.CancelScope(deadline=anyio.current_time() + _CONNECT_S) as patience:
                async with client_class(_transport(server.target, stderr)) as client:
                    group = server.group or _own_group(client)
                    link = _Link(client, server.target, stderr)
                    listed = _usable(await _list_tools(client), server.target)
                    tools = [_adapt(link, item, group) for item in listed]
                    patience.deadline = math.inf
                    is_connected = True
                    try:
                        yield tools
                    except Exception as error:
                        raised = error
                        raise
            if not is_connected:
                raise TimeoutError
        except Exception as error:  # whatever the SDK or the server makes of a connection
            if not is_connected:
                raise McpServerError(server.target, _reason(error, stderr)) from error
            if raised is None or not _is_wrapped(raised, error):
                raise
        if raised is not None:
            raise raised


def _is_wrapped(raised: Exception, error: Exception) -> bool:
    """Whether an error is another in groups of a connection, which may have taken apart its own."""
    return [*map(id, _leaves(raised))] == [*map(id, _leaves(error))]


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for one in cast("BaseExceptionGroup[BaseException]", error).exceptions:
            yield from _leaves(one)
    else:
        yield error


def _own_group(client: Client) -> str:
    info = client.server_info
    return group_name("mcp" if info is None else info.name)


def group_name(server_name: str) -> str:
    """A short Python name from what a server calls itself: `mcp-git` gives `git`."""
    short = _NOISE.sub("", server_name)
    name = re.sub(r"\W+", "_", short or server_name, flags=re.ASCII).strip("_").lower()
    return f"server_{name}" if not name or not name[0].isalpha() else name


def _import_client() -> type[Client]:
    try:
        from mcp import Client
    except ImportError as error:
        raise MisuseError("MCP servers need the extra: pip install 'codemode[mcp]'") from error
    return Client


def _transport(target: str, stderr: IO[str]) -> Any:
    if target.startswith(("http://", "https://")):
        return target
    from mcp import StdioServerParameters, stdio_client

    try:
        command, *arguments = shlex.split(target)
    except ValueError as error:
        raise MisuseError(f"{target!r} is not a command line: {error}") from error
    parameters = StdioServerParameters(command=command, args=arguments, cwd=os.getcwd())
    return stdio_client(parameters, errlog=cast("Any", stderr))


async def _list_tools(client: Client) -> list[McpTool]:
    tools: list[McpTool] = []
    cursor: str | None = None
    while True:
        page = await client.list_tools(cursor=cursor)
        tools.extend(page.tools)
        cursor = page.next_cursor
        if not cursor:
            return tools


def _usable(listed: list[McpTool], target: str) -> list[McpTool]:
    """Those that have a name, each of which once: one bad tool must not cost the others."""
    usable: dict[str, McpTool] = {}
    for item in listed:
        if not item.name:
            _logger.warning("MCP server %r: a tool without a name is left out", target)
        elif item.name in usable:
            _logger.warning("MCP server %r: a second tool %r is left out", target, item.name)
        else:
            usable[item.name] = item
    return list(usable.values())


class _Link:
    """A connection, and what is known of it."""

    def __init__(self, client: Client, target: str, stderr: IO[str]) -> None:
        self.client: Final = client
        self._target: Final = target
        self._stderr: Final = stderr
        #: An answer did not come for that the server had ended.
        self.is_gone = False

    def gone(self, *, was_sent: bool) -> ToolError:
        """The failure of a call that the server's end has cut short, or came after it.

        What the server wrote at last is for the host: there may be secrets in it.
        """
        if not was_sent:
            return ToolError("the MCP server is gone; the call was not sent")
        if not self.is_gone:
            self.is_gone = True
            _logger.error("MCP server %r is gone; it wrote: %s", self._target, _tail(self._stderr))
        return ToolError(
            "the MCP server is gone; whether the call took effect is not known. Check before you"
            " repeat it",
            "UNKNOWN_OUTCOME",
        )


def _adapt(link: _Link, item: McpTool, group: str) -> Tool:
    hints = item.annotations
    is_read_only = hints is not None and hints.read_only_hint is True
    is_open_world = hints is not None and hints.open_world_hint is True
    effects = {"read"} if is_read_only else {"write"}
    schema = None if item.output_schema is None else within_64_bits(item.output_schema)

    async def call(arguments: Arguments, run: RunContext) -> Json:
        return await _call(link, item.name, arguments, schema)

    return Tool.raw(
        item.name,
        item.description or item.title or "",
        within_64_bits(item.input_schema),
        call,
        output=Output(schema=_value_schema(schema), render=_render),
        effects=effects | ({"network"} if is_open_world and not is_read_only else set()),
        is_idempotent=is_read_only or (hints is not None and hints.idempotent_hint is True),
        group=group,
        is_adapted=True,
        protocol="mcp",
    )


def within_64_bits(schema: Any) -> Any:
    """A copy in which integers beyond 64 bits are floats, such as the bound of an unsigned type.

    The boundary carries no larger integer, and one bound must not cost the whole tool.
    """
    if isinstance(schema, Mapping):
        members = cast("Mapping[str, Any]", schema)
        return {key: within_64_bits(value) for key, value in members.items()}
    listed = list_of(schema)
    if listed:
        return [within_64_bits(value) for value in listed]
    if isinstance(schema, int) and not -(1 << 63) <= schema < 1 << 63:
        return float(schema) if abs(schema) < 1 << 1023 else (1e308 if schema > 0 else -1e308)
    return schema


async def _call(
    link: _Link, name: str, arguments: Arguments, schema: Mapping[str, Any] | None
) -> Json:
    from mcp import MCPError
    from mcp.types import CONNECTION_CLOSED

    if link.is_gone:
        raise link.gone(was_sent=False)
    try:
        reply = await link.client.call_tool(name, thaw(cast("Json", arguments)))
    except MCPError as error:
        if error.code == CONNECTION_CLOSED:
            raise link.gone(was_sent=True) from error
        raise ToolError(f"the MCP server refused the call: {error}") from error
    except (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream) as error:
        raise link.gone(was_sent=True) from error
    except RuntimeError as error:
        # The SDK judges what a tool gives by the tool's own output schema.
        raise OutputError(str(error).partition("\n")[0]) from error
    envelope = reply.model_dump(mode="json", by_alias=True, exclude_none=True)
    unwrapped = unwrap_result(envelope, schema)
    if unwrapped.is_error:
        raise ToolError(unwrapped.text or "the tool reports a failure without a text")
    if unwrapped.others and "structuredContent" not in envelope:
        # Text beside images or resources: the blocks themselves are the only lossless value.
        return cast("Json", envelope["content"])
    return cast("Json", unwrapped.value)


def _value_schema(schema: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The schema of the unwrapped value: a marked `{"result": ...}` wrapper is taken off."""
    if schema is None:
        return {}
    if schema.get("x-fastmcp-wrap-result") is True:
        inner = schema.get("properties", {}).get("result")
        if isinstance(inner, Mapping):
            definitions = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
            return {**cast("Mapping[str, Any]", inner), **definitions}
    return schema


def _render(arguments: Arguments, value: Json) -> object:
    if isinstance(value, list) and value and all(_is_block(item) for item in value):
        return [_block(cast("dict[str, Any]", item)) for item in value]
    return render_json(arguments, value)


def _is_block(item: Json) -> bool:
    return isinstance(item, dict) and item.get("type") in (
        "text",
        "image",
        "audio",
        "resource",
        "resource_link",
    )


def _block(item: dict[str, Any]) -> Block:
    if item["type"] == "image":
        try:
            return Image.of(base64.b64decode(item["data"], validate=True), str(item["mimeType"]))
        except (KeyError, TypeError, binascii.Error):
            return Text("[an image that is not valid base64]")
    inner = item.get("resource")
    about = cast("dict[str, Any]", inner) if isinstance(inner, dict) else item
    if isinstance(about.get("text"), str):
        return Text(about["text"])
    return Text(
        f"[{item['type']}: {about.get('uri') or about.get('mimeType') or 'no description'}]"
    )


def _reason(error: BaseException, stderr: IO[str]) -> str:
    cause: BaseException = error
    while isinstance(cause, BaseExceptionGroup):
        cause = cast("BaseExceptionGroup[BaseException]", cause).exceptions[0]
    if isinstance(cause, FileNotFoundError):
        return "the command was not found"
    said = (
        "it did not answer in time"
        if isinstance(cause, TimeoutError)
        else str(cause) or type(cause).__name__
    )
    tail = _tail(stderr)
    return f"{said}; it wrote: {tail}" if tail else said


def _tail(stderr: IO[str]) -> str:
    """The last that a server wrote; its place in the file, which it shares, stays as it is."""
    at = max(0, os.fstat(stderr.fileno()).st_size - _STDERR_TAIL)
    return os.pread(stderr.fileno(), _STDERR_TAIL, at).decode("utf-8", "replace").strip()
