"""The MCP server adapter: a runtime's tools for any MCP client, through the official SDK.

What a client sees is the wire list of a scope; what it calls goes through the whole pipeline, in a
session of its own in the log. The SDK text stands once, in the description of `run_code`: every
client shows a model the descriptions, few show it the instructions, which therefore only point
there. The person behind a client is asked where the runtime's approval channel is a
`ClientChannel`; where the client cannot ask, a call that needs an answer fails closed. A client
that wants to know is told how far its call is. Needs the extra `mcp`.
Source: Model Context Protocol, "Tools", "Cancellation"; the `mcp` package, version 2.
"""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

import anyio
import anyio.to_thread

from codemode import __version__
from codemode.runtime.code_mode.source import unfence
from codemode.runtime.code_mode.wire import wire_specs
from codemode.runtime.content import Block, Content, Image, Text
from codemode.runtime.definition import RUN_CODE
from codemode.runtime.errors import MisuseError
from codemode.runtime.facade import ToolRuntime
from codemode.runtime.hosts.asking import FORM, Asking, asking
from codemode.runtime.hosts.progress import Progress, progress, watch
from codemode.runtime.hosts.round_trips import RoundTrips, WaitingCall
from codemode.runtime.result import Result
from codemode.runtime.scope import Scope
from codemode.sandbox.errors import CodeModeError
from codemode.sandbox.values import Json, thaw
from codemode.sdkgen import wire_names

if TYPE_CHECKING:
    from anyio.abc import TaskGroup
    from mcp import types
    from mcp.server import ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp.shared._stream_protocols import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage

#: Most groups that the instructions name.
_NAMED_GROUPS: Final = 20


async def serve(
    runtime: ToolRuntime,
    read: ReadStream[SessionMessage | Exception],
    write: WriteStream[SessionMessage],
    *,
    name: str = "codemode",
    scope: Scope | None = None,
) -> None:
    """Serve one client over a pair of streams, until its end of them is closed.

    Calls that are running then are cancelled, and have ended when this returns.

    Raises:
        MisuseError: The extra `mcp` is not installed, or the runtime was not entered.
    """
    server = mcp_server(runtime, name=name, scope=scope)
    await server.run(read, write, server.create_initialization_options())


def mcp_server(
    runtime: ToolRuntime,
    *,
    name: str = "codemode",
    scope: Scope | None = None,
    instructions: str | None = None,
) -> Server[Any]:
    """An MCP server, of the SDK's low level, for transports of the host's own.

    The list is made anew for each request; a client's cancellation cancels the call.

    Args:
        runtime: Entered, and kept open by the caller while the server runs.
        name: What the server calls itself.
        scope: Whose view clients get; by default the global layer.
        instructions: Instead of the short ones, which point to `run_code`.

    Raises:
        MisuseError: The extra `mcp` is not installed, or the runtime was not entered.
    """
    require_sdk()
    from mcp import types
    from mcp.server.lowlevel import Server

    home = scope or runtime.registry.root
    run_code = runtime.services.code_mode.tool
    trips = RoundTrips()
    watch(home)

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        listed = runtime.wire_tools(home, dialect="mcp")
        for item in listed:
            if item["name"] == RUN_CODE and home.mode != "native":
                item["description"] += "\n\n" + runtime.prompt(home)
        return types.ListToolsResult(tools=[types.Tool.model_validate(item) for item in listed])

    async def call_tool(
        ctx: ServerRequestContext[TaskGroup], params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        tasks = ctx.lifespan_context
        if params.request_state is not None:
            waiting = trips.take_up(params)
            async with _telling(ctx, waiting.progress):
                return await trips.follow(waiting, tasks)
        mine = Progress()
        progress.set(mine)
        async with _telling(ctx, mine):
            if not _can_ask(ctx):
                return await call(params)
            if ctx.session.can_send_request:
                asking.set(_asking(ctx, params, lambda message: _elicit(ctx, message)))
                return await call(params)
            waiting = WaitingCall(params.name, params.arguments, mine)
            asking.set(_asking(ctx, params, waiting.put))
            tasks.start_soon(waiting.run, lambda: call(params))
            return await trips.follow(waiting, tasks)

    async def call(params: types.CallToolRequestParams) -> types.CallToolResult:
        named = wire_names(wire_specs(home, run_code), "mcp").get(params.name)
        try:
            result = await runtime.call(
                params.name if named is None else named.name, params.arguments or {}, scope=home
            )
        except CodeModeError as error:
            # The log or the sandbox is gone; the notes have what the calls did.
            said = "\n\n".join([str(error), *getattr(error, "__notes__", ())])
            return types.CallToolResult(
                content=[types.TextContent(type="text", text=said)], is_error=True
            )
        return types.CallToolResult(
            content=[await _block(runtime, block) for block in _content(result)],
            structured_content=structured(result),
            is_error=result.is_error,
        )

    return Server(
        name,
        version=__version__,
        instructions=_pointer(runtime, home) if instructions is None else instructions,
        lifespan=_tasks,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


@asynccontextmanager
async def _tasks(_: Any) -> AsyncGenerator[TaskGroup]:
    """Where calls live whose clients are away to ask; they end with the server."""
    async with anyio.create_task_group() as tasks:
        try:
            yield tasks
        finally:
            tasks.cancel_scope.cancel()


@asynccontextmanager
async def _telling(ctx: ServerRequestContext[TaskGroup], mine: Progress) -> AsyncGenerator[None]:
    """Report the progress of what runs inside; the SDK knows whether the client asked for it."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(mine.tell, ctx.session.report_progress)
        try:
            yield
        finally:
            tasks.cancel_scope.cancel()


def _can_ask(ctx: ServerRequestContext[TaskGroup]) -> bool:
    """Whether the client shows forms to a person; one that says no more than that it asks, does."""
    able = ctx.session.client_capabilities
    elicits = None if able is None else able.elicitation
    return elicits is not None and (elicits.form is not None or elicits.url is None)


def _asking(
    ctx: ServerRequestContext[TaskGroup],
    params: types.CallToolRequestParams,
    put: Callable[[str], Awaitable[types.ElicitResult]],
) -> Asking:
    client = ctx.session.client_params
    program = (params.arguments or {}).get("code") if params.name == RUN_CODE else None
    return Asking(
        client="" if client is None else client.client_info.name,
        program=unfence(program) if isinstance(program, str) else "",
        put=put,
    )


async def _elicit(ctx: ServerRequestContext[TaskGroup], message: str) -> types.ElicitResult:
    return await ctx.session.elicit_form(message, dict(FORM), ctx.request_id)


def require_sdk() -> None:
    """Load the SDK now, so that what cannot serve says so before it starts anything.

    Raises:
        MisuseError: The extra `mcp` is not installed.
    """
    try:
        import_module("mcp.server.lowlevel")  # heavy, so only who serves loads it
    except ImportError as error:
        raise MisuseError("a gateway needs the extra: pip install 'codemode[mcp]'") from error


def structured(result: Result) -> dict[str, Any] | None:
    """The value of a success, where it is an object and says more than the text does.

    A program that only printed has said it all; so has a result whose content a policy replaced or
    a bound cut: its value must not come in by this door.
    """
    value = result.value
    if result.is_error or result.replaced_by or not isinstance(value, Mapping):
        return None
    if result.tool_name == RUN_CODE and value.get("result") is None:
        return None
    return cast("dict[str, Any]", thaw(cast("Json", value)))


def _content(result: Result) -> Content:
    """What the model reads: the result, then the messages that its calls add after it."""
    blocks = list(result.content)
    for context in result.contexts:
        blocks += context.content
    return tuple(blocks)


async def _block(runtime: ToolRuntime, block: Block) -> types.TextContent | types.ImageContent:
    from mcp import types

    if isinstance(block, Text):
        return types.TextContent(type="text", text=block.text)
    data = await _bytes(runtime, block)
    if data is None:
        return types.TextContent(type="text", text=f"[{block.media_type}: not kept any more]")
    encoded = base64.b64encode(data).decode()
    return types.ImageContent(type="image", data=encoded, mime_type=block.media_type)


async def _bytes(runtime: ToolRuntime, image: Image) -> bytes | None:
    if image.data is not None:
        return image.data
    kept = await anyio.to_thread.run_sync(runtime.attachments.get, image.sha256)
    return None if kept is None else kept.data


def _pointer(runtime: ToolRuntime, scope: Scope) -> str | None:
    """What this server is for, for clients that read instructions before they load any tool."""
    if scope.mode == "native":
        return None
    specs = [binding.spec for binding in runtime.sdk(scope).bindings]
    groups = sorted({spec.group for spec in specs if spec.group})
    named = ", ".join(groups[:_NAMED_GROUPS]) + (", ..." if len(groups) > _NAMED_GROUPS else "")
    tools = f"{len(specs)} tool{'' if len(specs) == 1 else 's'}{f' ({named})' if named else ''}"
    return (
        f"`{RUN_CODE}` runs one Python program that can call {tools}: write one program instead of"
        f" one call at a time. The description of `{RUN_CODE}` has their SDK."
    )
