"""Wrappers around bodies that ship: timeout (mounted by default), retry, rate limit."""

from __future__ import annotations

from codemode.runtime.wrappers.rate_limit import RateLimit
from codemode.runtime.wrappers.retry import retry_wrapper
from codemode.runtime.wrappers.timeout import timeout_wrapper

__all__ = ["RateLimit", "retry_wrapper", "timeout_wrapper"]
