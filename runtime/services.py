"""The parts of an open runtime that an owner of calls, such as an agent loop, is built on."""

from __future__ import annotations

from dataclasses import dataclass

from codemode.runtime.attachments import AttachmentStore
from codemode.runtime.code_mode.prompts import Prompts
from codemode.runtime.code_mode.run_code import CodeMode
from codemode.runtime.log import EventStore, Redactor, Signer
from codemode.runtime.pipeline import Pipeline
from codemode.runtime.registry import Registry
from codemode.sandbox.backend import SandboxBackend


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """See the module.

    Attributes:
        store: The runtime's log; None when it has none.
        redact: Sees what is about to be logged.
        signer: Signs the checkpoint at the end of each session.
    """

    registry: Registry
    pipeline: Pipeline
    code_mode: CodeMode
    prompts: Prompts
    sandbox: SandboxBackend
    store: EventStore | None
    redact: Redactor | None
    signer: Signer | None
    attachments: AttachmentStore
