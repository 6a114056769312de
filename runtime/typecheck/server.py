"""The type checker's process: `ty server`, spoken to over its standard streams.

It reads text and never runs any; the host itself neither parses nor imports a program. It gets a
temporary folder and an empty environment: no variable, package, setting or credential of the host.
One request at a time; after any failure the process is of no use and is ended.

Source: Language Server Protocol 3.17, "Lifecycle Messages", "Pull Diagnostics".
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, cast

import anyio
from anyio.abc import Process

from codemode.runtime.typecheck.wire import Decoder, Message, WireError, encode

_CHUNK_BYTES: Final = 1 << 16
#: Positions are in characters: neither bytes nor UTF-16 units have to be counted.
_ENCODING: Final = "utf-32"


class ServerError(Exception):
    """The checker died, broke its protocol, or refused a request; it has to be started anew."""


class Server:
    """One running checker. Make it with `start`; `kill` or `aclose` it."""

    def __init__(self, process: Process, folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._decoder = Decoder()
        self._inbox: list[Message] = []
        self._last_id = 0

    @classmethod
    async def start(cls, command: Sequence[str], folder: Path) -> Server:
        """Start the process in `folder` and shake hands.

        Args:
            command: The program and its arguments.
            folder: Holds nothing of a project; workspaces are added one by one.

        Raises:
            ServerError: It cannot be started, or is not the checker that we know.
        """
        # Settings of the person who runs the host are looked for in these folders, and are not it.
        environment = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        try:
            process = await anyio.open_process(
                list(command), cwd=folder, env=environment, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            raise ServerError(f"the type checker cannot be started: {error.strerror}") from error
        server = cls(process, folder)
        try:
            await server._shake_hands()
        except BaseException:
            server.kill()
            raise
        return server

    async def _shake_hands(self) -> None:
        workspace = {"uri": self._folder.as_uri(), "name": "none"}
        answer = await self._request(
            "initialize",
            {
                "processId": None,
                "rootUri": workspace["uri"],
                "workspaceFolders": [workspace],
                "capabilities": {"general": {"positionEncodings": [_ENCODING]}},
            },
        )
        if answer.get("capabilities", {}).get("positionEncoding") != _ENCODING:
            raise ServerError("the type checker does not count positions in characters")
        await self._notify("initialized", {})

    async def add(self, workspace: Path) -> None:
        """Open a folder of stubs."""
        await self._change_workspaces(added=[workspace])

    async def remove(self, workspace: Path) -> None:
        """Forget a folder of stubs."""
        await self._change_workspaces(removed=[workspace])

    async def diagnose(self, file: Path, text: str) -> list[Any]:
        """The diagnostics of a text under a file's name; the file need not exist.

        Raises:
            ServerError: No answer can be had.
        """
        uri = {"uri": file.as_uri()}
        document = {**uri, "languageId": "python", "version": 1, "text": text}
        await self._notify("textDocument/didOpen", {"textDocument": document})
        answer = await self._request("textDocument/diagnostic", {"textDocument": uri})
        await self._notify("textDocument/didClose", {"textDocument": uri})
        items: object = answer.get("items")
        if isinstance(items, list):
            return [*items]
        raise ServerError("the type checker gave no diagnostics")

    def kill(self) -> None:
        """End the process at once."""
        if self._process.returncode is None:
            self._process.kill()

    async def aclose(self) -> None:
        """End the process and reap it."""
        self.kill()
        with anyio.CancelScope(shield=True):  # a killed process ends at once
            await self._process.aclose()

    async def _change_workspaces(
        self, *, added: Sequence[Path] = (), removed: Sequence[Path] = ()
    ) -> None:
        event = {
            "added": [{"uri": path.as_uri(), "name": path.name} for path in added],
            "removed": [{"uri": path.as_uri(), "name": path.name} for path in removed],
        }
        await self._notify("workspace/didChangeWorkspaceFolders", {"event": event})

    async def _notify(self, method: str, parameters: Message) -> None:
        await self._send({"method": method, "params": parameters})

    async def _request(self, method: str, parameters: Message) -> Message:
        self._last_id += 1
        await self._send({"id": self._last_id, "method": method, "params": parameters})
        while True:
            message = await self._receive()
            if "method" in message:
                if "id" in message:  # a request of the server's: nothing that it may ask is offered
                    await self._send({"id": message["id"], "result": None})
            elif message.get("id") == self._last_id:
                answer: object = message.get("result")
                if not isinstance(answer, dict):
                    raise ServerError(f"the type checker refused {method}")
                return cast("Message", answer)

    async def _send(self, message: Message) -> None:
        stream = self._process.stdin
        if stream is None:
            raise ServerError("the type checker has no input")
        try:
            await stream.send(encode(message))
        except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise ServerError("the type checker has died") from error

    async def _receive(self) -> Message:
        stream = self._process.stdout
        if stream is None:
            raise ServerError("the type checker has no output")
        while not self._inbox:
            try:
                self._inbox += self._decoder.feed(await stream.receive(_CHUNK_BYTES))
            except (
                anyio.EndOfStream,
                anyio.BrokenResourceError,
                anyio.ClosedResourceError,
            ) as error:
                raise ServerError("the type checker has died") from error
            except WireError as error:
                raise ServerError(f"the type checker's answer cannot be read: {error}") from error
        return self._inbox.pop(0)
