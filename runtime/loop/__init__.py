"""The agent loop: steps of a model, batches of calls, and the session's log and live stream."""

from codemode.runtime.loop.agent import AgentLoop, Turn
from codemode.runtime.loop.batch import Batch, BatchObserver
from codemode.runtime.loop.jobs import JobRun, Jobs
from codemode.runtime.loop.live import LiveItem
from codemode.runtime.loop.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from codemode.runtime.loop.model import Model, OnText, ScriptedModel, call

__all__ = [
    "AgentLoop",
    "AssistantMessage",
    "Batch",
    "BatchObserver",
    "JobRun",
    "Jobs",
    "LiveItem",
    "Message",
    "Model",
    "OnText",
    "ScriptedModel",
    "SystemMessage",
    "ToolCall",
    "ToolMessage",
    "Turn",
    "UserMessage",
    "call",
]
