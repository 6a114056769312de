"""The HTML page: self-contained, and nothing of a log can inject anything."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from recorded import HISTORY
from typing_extensions import override

from codemode.runtime.audit import Filter, report, verify
from codemode.runtime.audit.report import (
    MAX_DEPTH,
    MAX_TEXT,
    ReportTooLargeError,
    page,
    render_html,
)
from codemode.runtime.audit.tree import CallNode, SessionTree, TurnNode
from codemode.runtime.log import SessionNotFoundError, open_store
from codemode.sandbox.values import Json


class Page(HTMLParser):
    """Elements with their attributes, and the texts of scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._raw = ""
        self.feed(html)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        self._raw = (attributes.get("id") or tag) if tag in ("script", "style") else ""

    @override
    def handle_data(self, data: str) -> None:
        if self._raw:
            self.texts[self._raw] = self.texts.get(self._raw, "") + data

    @override
    def handle_endtag(self, tag: str) -> None:
        self._raw = ""

    def data(self) -> Any:
        return json.loads(self.texts["data"])


def rendered(*calls: CallNode) -> str:
    store = open_store(HISTORY, read_only=True)
    verdict = verify(store)
    store.close()
    turn = TurnNode(number=1, time="2031-05-01T12:00:00.000000Z", calls=calls)
    return page([SessionTree(session="s", turns=(turn,))], verdict)


def a_call(arguments: Json, name: str = "t") -> CallNode:
    return CallNode(
        call_id="c",
        kind="nested",
        name=name,
        time="2031-05-01T12:00:00.000000Z",
        arguments=arguments,
    )


@pytest.mark.spec("AUDIT 2.3")
def test_the_page_needs_no_network_and_runs_its_own_script_only() -> None:
    html = rendered(a_call({}))
    made = Page(html)
    policy = next(a for _, a in made.elements if a.get("http-equiv"))["content"] or ""
    assert policy.startswith("default-src 'none';")
    for tag, name in (("script", "script-src"), ("style", "style-src")):
        digest = base64.b64encode(hashlib.sha256(made.texts[tag].encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}'" in policy
    for tag, attributes in made.elements:
        assert not {"src", "href", "style", "srcset", "action"} & attributes.keys(), tag
        assert not any(name.startswith("on") for name in attributes), tag
    assert not re.search(r"innerHTML|outerHTML|document\.write|eval\(|insertAdjacent", html)
    assert not re.search(r"https?://", html)


@pytest.mark.spec("AUDIT 2.3")
@pytest.mark.parametrize(
    "hostile",
    [
        "</script><script>alert(1)</script>",
        "<!--<script>",
        "-->",
        "<img src=x onerror=alert(1)>",
        "{SCRIPT}{DATA}{STYLE}",
        "\u2028alert(1)\u2029",
        "\x1b[2J\u202e\x00",
        "]]>&lt;",
    ],
)
def test_untrusted_text_stays_data(hostile: str) -> None:
    honest, made = Page(rendered(a_call({}))), Page(rendered(a_call({hostile: hostile}, hostile)))
    assert [tag for tag, _ in made.elements] == [tag for tag, _ in honest.elements]
    assert made.texts["script"] == honest.texts["script"]
    call = made.data()["trees"][0]["turns"][0]["calls"][0]
    assert call["name"] == hostile
    assert call["arguments"] == {hostile: hostile}


@pytest.mark.spec("AUDIT 2.3")
def test_long_texts_are_cut_and_say_so() -> None:
    made = Page(rendered(a_call({"text": ["x" * 1_000_000]})))
    text = made.data()["trees"][0]["turns"][0]["calls"][0]["arguments"]["text"][0]
    assert len(text) < MAX_TEXT + 100
    assert text.endswith("… (1000000 characters)")


@pytest.mark.spec("AUDIT 2.3")
def test_long_keys_and_deep_values_are_cut_and_stay_apart() -> None:
    deep: Json = "bottom"
    for _ in range(5_000):
        deep = {"a": [deep]}
    keys: Json = {"k" * 100_000: 1, "k" * 99_999 + "x": 2}
    made = Page(rendered(a_call({"keys": keys, "deep": deep})))
    arguments = made.data()["trees"][0]["turns"][0]["calls"][0]["arguments"]
    assert sorted(arguments["keys"].values()) == [1, 2]
    assert all(len(key) < MAX_TEXT + 100 for key in arguments["keys"])
    level = 0
    value: Any = arguments["deep"]
    while not isinstance(value, str):
        key: Any = "a" if level % 2 == 0 else 0
        level, value = level + 1, value[key]
    assert level < 500
    assert value.endswith(f"(nested more than {MAX_DEPTH} levels deep)")


@pytest.mark.spec("AUDIT 2.3")
def test_more_calls_than_a_browser_shows_are_refused_and_can_be_narrowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report, "MAX_CALLS", 5)
    store = open_store(HISTORY, read_only=True)
    with pytest.raises(ReportTooLargeError, match="by tool, outcome, time or text"):
        render_html(store)
    made = Page(render_html(store, wanted=Filter(outcome="denied"))).data()
    assert made["trees"][0]["turns"][0]["calls"][0]["children"][0]["outcome"] == "denied"
    assert made["report"]["sessions"][0]["events"] == 41, "the verdict is on the whole log"
    store.close()


@pytest.mark.spec("AUDIT 2.3")
def test_ten_thousand_calls_fit_on_a_page() -> None:
    child = a_call({"query": "x" * 50})
    parent = CallNode(
        call_id="c",
        kind="call",
        name="run_code",
        time="2031-05-01T12:00:00.000000Z",
        program="x = 1\n",
        children=(child,) * 10_000,
    )
    made = Page(rendered(parent))
    assert len(made.data()["trees"][0]["turns"][0]["calls"][0]["children"]) == 10_000


def test_a_log_becomes_a_page_with_its_verdict() -> None:
    store = open_store(HISTORY, read_only=True)
    made = Page(render_html(store)).data()
    assert made["report"]["ok"] is True
    assert made["trees"][0]["session"] == "s_demo"
    assert Page(render_html(store, "s_demo")).data() == made
    with pytest.raises(SessionNotFoundError):
        render_html(store, "nobody")
    store.close()
