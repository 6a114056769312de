"""Whether an event's values have the digests that the same event has of them.

Exact or silent: what was redacted has no plain digest any more, and what was shortened is held
against the digest in its preview. So an honest log never fails here, and whoever changes a value
must change the digest too, which the host can have given away elsewhere. Digests of a call's result
are not judged: they are those of the value, and the log has its rendering.

Source: docs/events.md; spec CODE_MODE 6.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any, Final, cast

from codemode.runtime.log.canonical import sha256_of
from codemode.runtime.log.events import Event
from codemode.runtime.log.preview import KEY, is_preview
from codemode.sandbox.values import Json

_PLAIN: Final = re.compile(r"[0-9a-f]{64}\Z")


def digest_faults(event: Event) -> Iterator[str]:
    """What an event of a known type says of its own values that is not so."""
    data = event.data
    if event.type == "tool/code-run-start":
        program, claimed = data["program"], _plain(data, "program_sha256", "program")
        if claimed and (type(program) is not str or _sha256_of_text(program) != claimed):
            yield f"the program of {data['call_id']} does not have its digest, `program_sha256`"
    elif event.type == "tool/code-dispatch-start":
        name = "effective_arguments" if "effective_arguments" in data else "arguments"
        received, claimed = data[name], _plain(data, "arguments_sha256", name)
        # Arguments as one text were parsed before they were digested: that may have failed.
        if claimed and type(received) is not str and not _has_digest(received, claimed):
            sub_call = data["sub_call_id"]
            yield f"the {name} of {sub_call} do not have their digest, `arguments_sha256`"


def _plain(data: Any, digest: str, value: str) -> str:
    """The digest of a field; "" where there is none, or not of what this copy of the log holds."""
    claimed = data.get(digest)
    is_plain = type(claimed) is str and _PLAIN.match(claimed) is not None
    return claimed if is_plain and value not in (data.get("redacted") or ()) else ""


def _has_digest(value: Json, claimed: str) -> bool:
    if sha256_of(value) == claimed:
        return True
    # What looks like a preview may be a program's own argument of that form, judged above.
    if not is_preview(value):
        return False
    inner: Any = cast("dict[str, Any]", value)[KEY]
    return isinstance(inner, dict) and cast("dict[str, Any]", inner).get("sha256") == claimed


def _sha256_of_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
