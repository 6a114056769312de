"""The SDK text of each scope: made from its tools, or the host's own.

A host's text is final: it is what the model reads, and its digest is what a step records. The
nearest scope on the chain decides. Source: spec CODE_MODE 1.2, 1.7, 1.10.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Literal, TypeAlias

from codemode.runtime.cancellation import Disposer
from codemode.runtime.code_mode.sdk import SdkCache
from codemode.runtime.code_mode.wire import CATALOG_TOKENS
from codemode.runtime.errors import ScopeError
from codemode.runtime.scope import Scope
from codemode.sdkgen import Sdk

#: Makes the text of a scope from its SDK and the mode in force.
PromptText: TypeAlias = Callable[[Sdk, Literal["code", "both"]], str]


class Prompts:
    """The SDK texts of one runtime."""

    def __init__(self, sdks: SdkCache) -> None:
        self._sdks = sdks
        self._own: dict[Scope, PromptText] = {}

    def replace(self, scope: Scope, text: PromptText) -> Disposer:
        """Let `text` write the SDK text of `scope` and its descendants; disposing restores.

        Raises:
            ScopeError: The scope has one already.
        """
        if scope in self._own:
            raise ScopeError(f"{scope!r} has an SDK text of its own already; dispose that first")
        self._own[scope] = text

        def restore() -> None:
            if self._own.get(scope) is text:
                del self._own[scope]

        return restore

    def text(self, scope: Scope, *, catalog_tokens: int | None = CATALOG_TOKENS) -> str:
        """What the model reads of the SDK now; "" in native mode."""
        mode = scope.mode
        if mode == "native":
            return ""
        sdk = self._sdks.get(scope)
        own = self._of(scope)
        if own:
            return own(sdk, mode)
        listed = {tool.name for tool in scope.view().native()}
        is_listed = all(binding.spec.name in listed for binding in sdk.bindings)
        return sdk.prompt(mode, token_budget=catalog_tokens, is_listed=is_listed)

    def digest(self, scope: Scope) -> str | None:
        """Of the host's own text, else of the SDK; None in native mode."""
        if scope.mode == "native":
            return None
        if self._of(scope) is None:
            return self._sdks.get(scope).sha256
        return hashlib.sha256(self.text(scope).encode()).hexdigest()

    def _of(self, scope: Scope) -> PromptText | None:
        found = (self._own[near] for near in reversed(scope.chain) if near in self._own)
        return next(found, None)
