"""What a host may add to one run of a program; nothing that the model writes can set it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from codemode.runtime.code_mode.resuming import ResumePlan
from codemode.runtime.execution import Mode
from codemode.sandbox.limits import Limits
from codemode.sandbox.program import Files, OnOutput
from codemode.sdkgen import Sdk


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of one run.

    Attributes:
        files: Input files on the run's scratch tree.
        artifacts: Globs of scratch files that come back in the outcome.
        on_output: Sees each piece of output while the program runs.
        mode: In force for the call; None is the scope's mode when it runs.
        written_for: The SDK that the model had read when it wrote the program, if that is known.
        resume: The interrupted run that this one goes on from.
    """

    files: Files = field(default_factory=dict[str, bytes])
    artifacts: tuple[str, ...] = ()
    on_output: OnOutput | None = None
    limits: Limits | None = None
    mode: Mode | None = None
    written_for: Sdk | None = None
    resume: ResumePlan | None = None


DEFAULT_OPTIONS: Final = RunOptions()
