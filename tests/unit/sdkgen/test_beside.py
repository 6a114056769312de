"""The SDK text beside the native list: how much of it is left for a list of which length."""

from __future__ import annotations

import pytest

from codemode.sdkgen import ToolSpec, build_sdk
from codemode.sdkgen.beside import RUN_CODE_TOKENS, SHARE, native_tokens
from codemode.sdkgen.catalog import estimated_tokens
from codemode.sdkgen.prompt import RULES

PARAMETERS: dict[str, object] = {
    "type": "object",
    "properties": {"where": {"type": "object", "properties": {"x": {"type": "integer"}}}},
}
RESULT: dict[str, object] = {"type": "object", "properties": {"id": {"type": "integer"}}}


def tools(words: int) -> list[ToolSpec]:
    """Three tools whose descriptions have so many words."""
    text = "Find it. " + "Every word costs. " * (words // 3)
    return [ToolSpec(f"find_{name}", text, PARAMETERS, RESULT) for name in "abc"]


@pytest.mark.spec("SDK 4.1", "SDK 4.2")
@pytest.mark.parametrize(
    ("words", "shown", "left_out"),
    [
        (3_000, ["find_a(where?: {x?: int}) -> {id?: int} # Find it", "Example:", RULES[2]], []),
        (350, ["find_a(where?: {x?: int}) -> {id?: int}"], ["# Find it", "Example:", RULES[2]]),
        (0, ["find_a\n"], ["->", "where", "Example:"]),
    ],
)
def test_the_longer_the_native_list_the_more_is_said(
    words: int, shown: list[str], left_out: list[str]
) -> None:
    text = build_sdk(tools(words)).prompt("both")
    assert all(part in text for part in shown), text
    assert not any(part in text for part in left_out), text


@pytest.mark.spec("SDK 4.1")
@pytest.mark.parametrize("words", range(600, 6_000, 150))
def test_the_text_and_run_code_stay_within_their_share_of_the_native_list(words: int) -> None:
    given = tools(words)
    text = build_sdk(given).prompt("both")
    # By the estimate for prose, which the catalog's own is above.
    assert len(text) / 4.2 + RUN_CODE_TOKENS <= native_tokens(given) * SHARE


@pytest.mark.spec("SDK 4.2", "CODE_MODE 1.6")
def test_what_the_native_list_does_not_have_is_said_in_full() -> None:
    text = build_sdk(tools(0)).prompt("both", is_listed=False)
    assert "find_a(where?: {x?: int}) -> {id?: int} # Find it" in text
    assert all(rule in text for rule in RULES)


@pytest.mark.spec("SDK 4.2")
def test_the_budget_of_the_catalog_holds_beside_the_native_list_too() -> None:
    many = [ToolSpec(f"find_number_{n}", "Words. " * 90, PARAMETERS) for n in range(200)]
    text = build_sdk(many).prompt("both", token_budget=100)
    assert "more tools are not listed" in text
    assert estimated_tokens(text.rpartition("```\n")[0].rpartition("```\n")[2]) <= 100
