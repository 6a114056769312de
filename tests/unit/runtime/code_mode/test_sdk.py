"""One SDK for each scope, made anew only when its view changes."""

from __future__ import annotations

import pytest

from codemode.runtime.code_mode.sdk import SdkCache
from codemode.runtime.function_tool import tool
from codemode.runtime.registry import Registry


@tool
async def double(x: int) -> int:
    """Double a number."""
    return 2 * x


@tool
async def triple(x: int) -> int:
    """Triple a number."""
    return 3 * x


@pytest.mark.spec("SDK 4.5")
def test_an_sdk_and_its_texts_are_kept_until_the_view_changes() -> None:
    registry, cache = Registry(), SdkCache()
    registry.register(double)
    scope = registry.scope("work")
    first = cache.get(scope)
    assert cache.get(scope) is first
    assert first.prompt() is first.prompt()
    assert first.catalog(100) is first.catalog(100)
    dispose = registry.register(triple)
    second = cache.get(scope)
    assert second is not first
    assert second.sha256 != first.sha256
    assert cache.get(scope) is second
    dispose()
    again = cache.get(scope)
    assert again == first
    assert again.prompt() == first.prompt()


@pytest.mark.spec("SDK 5.2")
def test_a_tool_of_a_sibling_scope_is_not_found() -> None:
    registry, cache = Registry(), SdkCache()
    here, there = registry.scope("here"), registry.scope("there")
    registry.register(double, here)
    registry.register(triple, there)
    assert [hit.name for hit in cache.get(here).search("number")] == ["tools.double"]
    with pytest.raises(LookupError, match="no tool is named 'triple'"):
        cache.get(here).describe("triple")
