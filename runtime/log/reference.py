"""docs/events.md and docs/schemas/events.json, made from the vocabulary.

Run `python -m codemode.runtime.log.reference docs` after a change; a test compares.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final, cast

from codemode.runtime.log.events import schema_of
from codemode.runtime.log.vocabulary import TYPES

_INTRODUCTION: Final = """\
# Events of the session log

Made from `runtime/log/vocabulary.py` by `python -m codemode.runtime.log.reference docs`; do not
edit. The JSON Schemas are in [schemas/events.json](schemas/events.json).

Every event has the same envelope:

| field | what |
|---|---|
| `seq` | counts the events of its session from 1 |
| `time` | UTC with microseconds, by the writer's clock |
| `session` | the session's id |
| `turn`, `step` | count from 1; `null` outside of one |
| `type`, `version` | which schema `data` follows |
| `data` | the fields below |
| `prev` | `hash` of the event before, 64 zeros for the first |
| `hash` | SHA-256 of `c1`, a newline, and the canonical JSON of the event without `hash` |

Canonical form `c1` is UTF-8 JSON, keys sorted by code point, no spaces, integers in decimal, floats
by shortest repr, no ASCII escaping.

Fields that have no value are left out. The host vouches for every field but those marked *guest*,
which are the program's own claim. Any event may have `redacted`, the list of fields that were
replaced in this copy, and `withheld`, if a redaction hook failed. A field of more than 64 KiB is
`{"$preview": {head, tail, bytes, sha256, locator?}}`. Fields marked *redactable* are seen by the
redaction hook before they are written.

Tools write events of their own in namespaces of their own, such as `fs/observed`; readers keep and
show what they do not know.
"""


def markdown() -> str:
    """docs/events.md."""
    return _INTRODUCTION + "".join(_section(kind) for kind in TYPES)


def schemas() -> str:
    """docs/schemas/events.json: version and JSON Schema of every type."""
    table = {
        kind: {"version": model.version, "data": schema_of(kind)} for kind, model in TYPES.items()
    }
    return json.dumps(table, indent=1, sort_keys=True) + "\n"


def _section(kind: str) -> str:
    model, schema = TYPES[kind], schema_of(kind)
    lines = [f"\n## `{kind}`, version {model.version}\n", f"{schema['description'].strip()}\n"]
    required = set(schema.get("required", ()))
    rows = [
        _row(name, field, schema, is_required=name in required, kind=kind)
        for name, field in schema["properties"].items()
        if name not in ("redacted", "withheld")
    ]
    if rows:
        lines += ["| field | type | what |", "|---|---|---|", *rows]
    return "\n".join(lines) + "\n"


def _row(
    name: str, field: dict[str, Any], schema: dict[str, Any], *, is_required: bool, kind: str
) -> str:
    notes = [field["description"]] if field.get("description") else []
    if field.get("vouched") == "guest":
        notes.append("*guest*")
    sensitive = TYPES[kind].sensitive
    if name in sensitive or any(path.startswith(f"{name}.") for path in sensitive):
        notes.append("*redactable*")
    mark = "" if is_required else "?"
    return f"| `{name}`{mark} | {_type(field, schema)} | {'; '.join(notes)} |"


def _type(field: dict[str, Any], schema: dict[str, Any]) -> str:
    """A type in words; parts of an event are spelled out."""
    if "$ref" in field:
        part = schema["$defs"][field["$ref"].rsplit("/", 1)[1]]
        required = set(part.get("required", ()))
        inner = (
            f"{name}{'' if name in required else '?'}: {_type(value, schema)}"
            for name, value in part["properties"].items()
        )
        return "{" + ", ".join(inner) + "}"
    if "anyOf" in field:
        options = (o for o in field["anyOf"] if o.get("type") != "null")
        return " or ".join(dict.fromkeys(_type(option, schema) for option in options))
    if "enum" in field or "const" in field:
        values = cast("list[str]", field.get("enum", [field.get("const")]))
        return " \\| ".join(f"`{value}`" for value in values)
    if "hmac" in str(field.get("pattern", "")):
        return "SHA-256"
    if field.get("type") == "array":
        return f"list of {_type(field['items'], schema)}"
    return {
        "string": "text",
        "integer": "integer",
        "number": "number",
        "boolean": "boolean",
        "object": "object",
    }.get(field.get("type", ""), "JSON")


def main() -> None:
    """Write both files below the folder named on the command line."""
    docs = Path(sys.argv[1])
    (docs / "schemas").mkdir(exist_ok=True)
    (docs / "events.md").write_text(markdown())
    (docs / "schemas" / "events.json").write_text(schemas())


if __name__ == "__main__":
    main()
