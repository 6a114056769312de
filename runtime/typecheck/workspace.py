"""The files of one SDK that the type checker reads: its stubs, its settings, its modules.

Everything that a program has without an import is in `__builtins__.pyi`, so the program's own text
is checked as it is, from its first line. Pure: texts by file name; the server writes them.

Source: ty's reference, "Rules" and "Configuration".
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from codemode.runtime.typecheck.regions import Tagger, tag
from codemode.sdkgen import Sdk, ToolBinding

_VERSION: Final = ".".join(map(str, sys.version_info[:2]))

PROGRAM_FILE: Final = "program.py"
#: An environment without packages: the programs' modules are not those of the host.
SITE_PACKAGES: Final = f"environment/lib/python{_VERSION}/site-packages"

_MAX_FILE_NAME_BYTES: Final = 200

_VALUE: Final = "_codemode_value"
_HANDLE: Final = "_codemode_handle"
_EITHER: Final = "_codemode_either"

#: The rules that are asked for; `rules.py` decides what of their reports is a finding.
RULES: Final = (
    "invalid-argument-type",
    "missing-argument",
    "missing-attribute",
    "missing-module-member",
    "not-iterable",
    "not-subscriptable",
    "parameter-already-assigned",
    "too-many-positional-arguments",
    "unknown-argument",
    "unresolved-reference",
    "unsupported-operator",
    "unused-awaitable",
)

_ASYNC_METHOD: Final = re.compile(r"^    async def (.*) -> .*:( \.\.\.)?$", re.MULTILINE)
_CLASS: Final = re.compile(r"^class (\w+)\(.*dict\[.*\]\):\n((?:    .*\n)*)", re.MULTILINE)
_KEY: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"")
_ITEM: Final = re.compile(r"key: \w*Literal\[(.*)\], /")
_ATTRIBUTE: Final = re.compile(r"^    (\w+): ", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """One SDK as the type checker and the rules see it.

    Attributes:
        sha256: Of the SDK.
        files: Name -> text.
        tagger: For the programs of this SDK.
        tools: By the name that reports use, such as `_Tools.search` or `_Group_github.search`.
        paths: Every dotted path of a tool.
        results: Result class -> its keys, of the classes without undeclared ones.
    """

    sha256: str
    files: Mapping[str, str]
    tagger: Tagger
    tools: Mapping[str, ToolBinding]
    paths: frozenset[str]
    results: Mapping[str, frozenset[str]]


def make_workspace(sdk: Sdk) -> Workspace:
    """Render everything of an SDK; takes some 200 us for each tool."""
    paths = frozenset(path for binding in sdk.bindings for path in (binding.path, *binding.aliases))
    members = _members(paths)
    names = tuple(members)
    value = sdk.stubs(is_strict=True)
    handle = sdk.stubs(is_strict=True, is_async=True)
    files = {
        "ty.toml": _settings(),
        f"{_VALUE}.pyi": value,
        f"{_HANDLE}.pyi": handle,
        f"{_EITHER}.pyi": _ASYNC_METHOD.sub(r"    def \1 -> _Any:\2", handle),
        "__builtins__.pyi": _builtins(names),
    }
    for number, name in enumerate(names):
        if name not in sys.stdlib_module_names and len(name.encode()) <= _MAX_FILE_NAME_BYTES:
            files[f"{name}.pyi"] = _module(name, _VALUE, members[name])
            files[f"{tag(name, number, 'either')}.pyi"] = _module(name, _EITHER, members[name])
    return Workspace(
        sha256=sdk.sha256,
        files=files,
        tagger=Tagger(names),
        tools=_by_report_name(sdk),
        paths=paths,
        results=_closed_results(value),
    )


def _members(paths: Iterable[str]) -> dict[str, set[str]]:
    """What each global of a program has: `tools` first, then the groups in order."""
    found: dict[str, set[str]] = {"tools": {"search", "describe"}}
    for name, member in sorted(path.split(".")[:2] for path in paths):
        found.setdefault(name, set()).add(member)
    return found


def _settings() -> str:
    rules = "".join(f'{rule} = "error"\n' for rule in RULES)
    return (
        f'[rules]\nall = "ignore"\n{rules}\n'
        f'[environment]\npython-version = "{_VERSION}"\npython-platform = "linux"\n'
        f"python = {json.dumps(SITE_PACKAGES.split('/')[0])}\n"
    )


def _builtins(names: tuple[str, ...]) -> str:
    lines = [f"from {_VALUE} import *", f"import {_HANDLE}", f"import {_EITHER}"]
    for number, name in enumerate(names):
        lines.append(f"{tag(name, number, 'handle')} = {_HANDLE}.{name}")
        lines.append(f"{tag(name, number, 'either')} = {_EITHER}.{name}")
    return "\n".join(lines) + "\n"


def _module(name: str, stubs: str, members: Iterable[str]) -> str:
    """What `import tools` or `from github import create_issue` gives."""
    lines = [f"{member} = {stubs}.{name}.{member}" for member in sorted(members)]
    return "\n".join([f"import {stubs}", *lines]) + "\n"


def _by_report_name(sdk: Sdk) -> dict[str, ToolBinding]:
    found: dict[str, ToolBinding] = {}
    for binding in sdk.bindings:
        *_, space, name = binding.path.split(".")
        if binding.path.count(".") == 1:
            found[f"_Tools.{name}"] = binding
        else:
            found[f"_Group_{space}.{name}"] = found[f"_Shared_{space}.{name}"] = binding
    return found


def _closed_results(stubs: str) -> dict[str, frozenset[str]]:
    """The classes whose undeclared keys are a mistake, with their keys."""
    found: dict[str, frozenset[str]] = {}
    for name, body in _CLASS.findall(stubs):
        items = "".join(_ITEM.findall(body))
        keys = {ast.literal_eval(key) for key in _KEY.findall(items)}
        # A class that takes any text as a key is open, and one without keys is any dict.
        if keys and "key: _builtins.str" not in body:
            found[name] = frozenset(keys.union(_ATTRIBUTE.findall(body)))
    return found
