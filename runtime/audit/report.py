"""One self-contained HTML page of a log: program beside its calls, timeline, search, keyboard.

The page makes no request and runs only its own script, by a content security policy that names the
script's hash. What a log holds travels as JSON that cannot end its element, and reaches the page as
text nodes only, so untrusted text can inject nothing.

Source: spec AUDIT 2.3; html.spec.whatwg.org, "Restrictions for contents of script elements".
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace
from importlib.resources import files
from typing import Final

from codemode.runtime.audit.building import turns_of
from codemode.runtime.audit.reading import ReadableEvents, outline_of
from codemode.runtime.audit.tree import Filter, SessionTree, TurnNode
from codemode.runtime.audit.verify import Report, verify
from codemode.runtime.log.canonical import encode
from codemode.runtime.log.errors import LogError
from codemode.runtime.log.store import EventStore
from codemode.sandbox.values import Json

#: More of one text is cut in the page; the log has it whole.
MAX_TEXT: Final = 20_000
#: Values that nest deeper are shown as text: a browser's own reader and writer recurse.
MAX_DEPTH: Final = 100
#: How deep the tree of calls around a value can be; see `building`.
_DEPTH_OF_TREE: Final = 40
#: More calls than a browser shows comfortably.
MAX_CALLS: Final = 50_000


class ReportTooLargeError(LogError):
    """The page would hold too many calls. Nothing was written; ask for a part of the log."""


def render_html(store: EventStore, session: str | None = None, wanted: Filter | None = None) -> str:
    """The page for one session, or for all of them.

    Args:
        wanted: Which calls; all of them by default. The verdict is always on the whole log.

    Raises:
        SessionNotFoundError: There is no such session.
        ReportTooLargeError: More than `MAX_CALLS` calls are asked for.
        LogError: The log cannot be read.
    """
    report = verify(store, session)
    names = store.sessions() if session is None else (session,)
    room = MAX_CALLS
    trees: list[SessionTree] = []
    for name in names:
        events = ReadableEvents(store, name)
        outline = outline_of(events.records())
        turns: list[TurnNode] = []
        for turn in (wanted or Filter()).turns(turns_of(events, outline.late)):
            room -= sum(1 + len(call.children) for call in turn.calls)
            if room < 0:
                raise ReportTooLargeError(
                    f"{store.location}: more than {MAX_CALLS} calls, too many for a page; name a"
                    " session, or ask for some calls by tool, outcome, time or text"
                )
            turns.append(turn)
        trees.append(replace(outline.head, turns=tuple(turns)))
    return page(trees, report)


def page(trees: list[SessionTree], report: Report) -> str:
    """The page for these trees."""
    script, style = _asset("report.js"), _asset("report.css")
    data: Json = {"trees": [cut(tree.as_json()) for tree in trees], "report": report.as_json()}
    parts = {
        "{SCRIPT_SHA}": _sha(script),
        "{STYLE_SHA}": _sha(style),
        "{SCRIPT}": script,
        "{STYLE}": style,
        "{DATA}": _embedded(data),
    }
    # The data goes in last and in one step, so that no placeholder in it is ever filled.
    html = _asset("report.html")
    for placeholder, text in parts.items():
        before, _, after = html.partition(placeholder)
        html = before + text + after
    return html


def _embedded(data: Json) -> str:
    """JSON that is safe inside a script element: nothing in it looks like markup."""
    text = encode(data).decode()
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def cut(value: Json) -> Json:
    """A copy whose long texts and deep values are cut, and say so; iterative, for deep logs."""
    root: list[Json] = [value]
    stack: list[tuple[list[Json] | dict[str, Json], int]] = [(root, -_DEPTH_OF_TREE)]
    while stack:
        container, depth = stack.pop()
        if isinstance(container, list):
            container[:] = [_cut_one(item, depth, stack) for item in container]
        else:
            items = list(container.items())
            container.clear()
            for at, (key, item) in enumerate(items):
                name = _cut_text(key)
                # Two long keys may be alike up to where they are cut.
                name = f"{name} [{at}]" if name in container else name
                container[name] = _cut_one(item, depth, stack)
    return root[0]


def _cut_one(item: Json, depth: int, stack: list[tuple[list[Json] | dict[str, Json], int]]) -> Json:
    if isinstance(item, str):
        return _cut_text(item)
    if not isinstance(item, dict | list):
        return item
    if depth >= MAX_DEPTH:
        return f"{_cut_text(encode(item).decode())} (nested more than {MAX_DEPTH} levels deep)"
    copied: list[Json] | dict[str, Json] = dict(item) if isinstance(item, dict) else list(item)
    stack.append((copied, depth + 1))
    return copied


def _cut_text(text: str) -> str:
    return f"{text[:MAX_TEXT]}… ({len(text)} characters)" if len(text) > MAX_TEXT else text


def _asset(name: str) -> str:
    return files("codemode.runtime.audit").joinpath(name).read_text(encoding="utf-8")


def _sha(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
