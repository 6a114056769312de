"""One self-contained HTML page of a log: program beside its calls, timeline, search, keyboard.

The page makes no request and runs only its own script, by a content security policy that names the
script's hash. What a log holds travels as JSON that cannot end its element, and reaches the page as
text nodes only, so untrusted text can inject nothing.

Source: spec AUDIT 2.3; html.spec.whatwg.org, "Restrictions for contents of script elements".
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Final

from codemode.runtime.audit.tree import SessionTree, build_tree
from codemode.runtime.audit.verify import Report, verify
from codemode.runtime.log.canonical import encode
from codemode.runtime.log.store import EventStore, read_events
from codemode.sandbox.values import Json

#: More of one text is cut in the page; the log has it whole.
MAX_TEXT: Final = 20_000


def render_html(store: EventStore, session: str | None = None) -> str:
    """The page for one session, or for all of them.

    Raises:
        SessionNotFoundError: There is no such session.
        LogError: The log cannot be read.
    """
    report = verify(store, session)
    names = store.sessions() if session is None else (session,)
    return page([build_tree(read_events(store, name)) for name in names], report)


def page(trees: list[SessionTree], report: Report) -> str:
    """The page for these trees."""
    script, style = _asset("report.js"), _asset("report.css")
    data: Json = {"trees": [_cut(tree.as_json()) for tree in trees], "report": report.as_json()}
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


def _cut(value: Json) -> Json:
    """A copy whose long texts are cut, and say so; iterative, since logs may nest deeply."""
    root: list[Json] = [value]
    stack: list[list[Json] | dict[str, Json]] = [root]
    while stack:
        container = stack.pop()
        if isinstance(container, list):
            container[:] = [_cut_one(item, stack) for item in container]
        else:
            container.update({key: _cut_one(item, stack) for key, item in container.items()})
    return root[0]


def _cut_one(item: Json, stack: list[list[Json] | dict[str, Json]]) -> Json:
    if isinstance(item, str) and len(item) > MAX_TEXT:
        return f"{item[:MAX_TEXT]}… ({len(item)} characters)"
    if isinstance(item, dict):
        copied = dict(item)
        stack.append(copied)
        return copied
    if isinstance(item, list):
        listed = list(item)
        stack.append(listed)
        return listed
    return item


def _asset(name: str) -> str:
    return files("codemode.runtime.audit").joinpath(name).read_text(encoding="utf-8")


def _sha(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
