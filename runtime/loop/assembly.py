"""What one request to the model is made of: the mode in force, the wire list and the system text.

Taken once, when the step opens: a change of mode or of tools holds from the next step.
Source: spec CODE_MODE 1.7, 1.8, 1.9.
"""

from __future__ import annotations

from dataclasses import dataclass

from codemode.runtime.code_mode.wire import wire_specs
from codemode.runtime.execution import Mode
from codemode.runtime.log.canonical import sha256_of
from codemode.runtime.scope import Scope
from codemode.runtime.services import Services
from codemode.sandbox.errors import SandboxUnavailableError
from codemode.sandbox.values import Json, snapshot
from codemode.sdkgen import Sdk, ToolSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """What is in force for one step.

    Attributes:
        sdk: What programs of this step are written against; None in native mode.
        system: The host's instructions and the SDK text.
    """

    mode: Mode
    tools: tuple[ToolSpec, ...]
    system: str
    sdk: Sdk | None
    sdk_sha256: str | None
    isolation: Json

    def as_json(self) -> dict[str, Json]:
        """The fields of `step/open`."""
        return {
            "mode": self.mode,
            "sdk_sha256": self.sdk_sha256,
            "wire_sha256": sha256_of(
                [
                    {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": snapshot(dict(tool.parameters)),
                    }
                    for tool in self.tools
                ]
            ),
            "isolation": self.isolation,
        }


async def assemble(services: Services, scope: Scope, instructions: str) -> Assembly:
    """What the scope puts before the model now. Native scopes start no sandbox.

    Raises:
        SandboxUnavailableError: The mode needs a sandbox whose isolation cannot be had.
    """
    mode = scope.mode
    isolation: Json = None
    sdk = None
    if mode != "native":
        try:
            await services.sandbox.start()
        except SandboxUnavailableError as error:
            raise SandboxUnavailableError(
                f"the scope {scope.name!r} is in mode {mode!r}, which needs a sandbox: {error}",
                missing=error.missing,
            ) from error
        isolation = services.sandbox.isolation.as_json()
        sdk = services.code_mode.sdks.get(scope)
    texts = (instructions, services.prompts.text(scope))
    return Assembly(
        mode=mode,
        tools=tuple(wire_specs(scope, services.code_mode.tool)),
        system="\n\n".join(text for text in texts if text),
        sdk=sdk,
        sdk_sha256=services.prompts.digest(scope),
        isolation=isolation,
    )
