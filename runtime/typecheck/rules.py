"""From the type checker's reports to findings: only what is a mistake in any run of the program.

A type checker is stricter than Python and knows less than the program: it reports an optional
value where text is wanted, or a key that the program has just tested for. Each rule here takes the
reports of one kind that concern a tool, its arguments or its result, drops those that a right
program can cause, and says the rest in the words of the SDK. What matches no rule is no finding.
Pure.

Source: ty's reference, "Rules"; the texts are those of its reports.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from codemode.runtime.typecheck.calls import Call, call_at
from codemode.runtime.typecheck.findings import MAX_FINDINGS, Finding, Rule
from codemode.runtime.typecheck.text import ProgramText
from codemode.runtime.typecheck.workspace import Workspace
from codemode.sdkgen import ToolBinding, did_you_mean

_NAME: Final = re.compile(r"Name `(\w+)` used when not defined")
_ATTRIBUTE: Final = re.compile(r"Object of type `(.+)` has no attribute `(\w+)`")
_MEMBER: Final = re.compile(r"Module `(\w+)` has no member `(\w+)`")
_KEY: Final = re.compile(
    r"cannot be called with key of type `Literal\[\"(.*)\"\]` on object of type `(.+)`"
)
_UNKNOWN: Final = re.compile(r"Argument `(.+?)` does not match any known parameter")
_MISSING: Final = re.compile(
    r"No arguments? provided for required parameters? (.+) of bound method"
)
_TYPES: Final = re.compile(r"Expected `(.+)`, found `(.+)`")
_METHOD: Final = re.compile(r"bound method `(_(?:Tools|Group_\w+|Shared_\w+)\.\w+)`")
_QUOTED: Final = re.compile(r"`(\w+)`")

_HANDLE: Final = "CoroutineType["
_SPACES: Final = re.compile(r"_(?:Tools|Group_(\w+)|Shared_(\w+))\Z")
_LITERAL: Final = re.compile(r"Literal\[([^\[\]]*)\]\Z")
_LIST: Final = re.compile(r"list\[(_\w+)\]\Z")
#: Syntax that only a top level has which this sandbox runs as a function or a coroutine.
_TOP_LEVEL: Final = re.compile(r"outside (?:of )?an? (?:asynchronous )?function")
#: Types of which the checker knows too little to be sure.
_VAGUE: Final = re.compile(r"\b(?:Any|Unknown|object|Never|Todo)\b|\|")
_FUTURE: Final = re.compile(r"^from __future__ import .*\bannotations\b", re.MULTILINE)
_STAR: Final = re.compile(r"\bimport \*")


@dataclass(frozen=True, slots=True)
class _Report:
    """One report of the checker, with names as the program has them."""

    rule: str
    message: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Program:
    """The program that the reports are of."""

    workspace: Workspace
    text: ProgramText

    def call(self, report: _Report) -> Call | None:
        return call_at(self.text.code, report.start, report.end)

    def handles(self, error: str) -> bool:
        """Whether the program expects an error of that name somewhere."""
        return re.search(rf"\b{error}\b", self.text.code) is not None

    def knows_key(self, key: str) -> bool:
        """Whether the program itself stores the key somewhere, or tests for it."""
        name, text = re.escape(key), rf"""["']{re.escape(key)}["']"""
        ways = (
            rf"\[\s*{text}\s*\]\s*(?:[-+*/|&]|//)?=(?!=)",  # r["key"] = 1
            rf"\.{name}\s*=(?!=)",  # r.key = 1
            rf"{text}\s*:",  # r |= {"key": 1}
            rf"\bupdate\([^)\n]*\b{name}\s*=",  # r.update(key=1)
            rf"\b(?:setdefault|get|pop)\(\s*{text}",  # r.get("key")
            rf"{text}\s+(?:not\s+)?in\b",  # "key" in r
            rf"attr\([^,\n]+,\s*{text}",  # hasattr(r, "key")
        )
        return any(re.search(way, self.text.source) for way in ways)


_Found = tuple[Rule, str] | None


def find(
    diagnostics: Iterable[Any], workspace: Workspace, text: ProgramText
) -> tuple[Finding, ...]:
    """The findings of one program, in its order.

    Args:
        diagnostics: As the language server gives them, with positions in characters.
    """
    program = _Program(workspace, text)
    starts = _line_starts(text.source)
    found: dict[tuple[int, int, Rule], Finding] = {}
    for item in diagnostics:
        report = _report(item, starts, workspace)
        if report.rule == "invalid-syntax" and not _TOP_LEVEL.search(report.message):
            return ()  # it will not compile, and the compiler says it best
        judge = _JUDGES.get(report.rule)
        judged = judge(report, program) if judge else None
        if judged and not text.is_unused(report.start):
            rule, message = judged
            line, column = _position(report.start, starts)
            finding = Finding(line=line, column=column, rule=rule, message=message)
            found.setdefault((line, column, rule), finding)
    ordered = sorted(found.values(), key=lambda finding: (finding.line, finding.column))
    return tuple(ordered[:MAX_FINDINGS])


def _report(item: Any, starts: list[int], workspace: Workspace) -> _Report:
    first, last = item["range"]["start"], item["range"]["end"]
    return _Report(
        rule=str(item.get("code")),
        message=workspace.tagger.untagged(str(item["message"])),
        start=_offset(first, starts),
        end=_offset(last, starts),
    )


# --- one judge for each rule of the checker ---------------------------------------------------


def _unresolved_reference(report: _Report, program: _Program) -> _Found:
    match = _NAME.search(report.message)
    if not match or program.handles("NameError") or _STAR.search(program.text.code):
        return None
    # An annotation in quotes, or any under the future import, is never evaluated.
    if program.text.code[report.start : report.end] != match[1] or _FUTURE.search(
        program.text.code
    ):
        return None
    name = match[1]
    paths = {path.rpartition(".")[2]: path for path in sorted(program.workspace.paths)}
    if name in paths:
        return "unresolved-name", f"`{name}` is not defined; write `{paths[name]}`"
    known = {*paths, *vars(builtins), *program.workspace.tagger.names}
    near = did_you_mean(name, known)
    return "unresolved-name", f"`{name}` is not defined{_hint(paths.get(near or '', near))}"


def _missing_attribute(report: _Report, program: _Program) -> _Found:
    match = _ATTRIBUTE.search(report.message)
    if not match or program.handles("AttributeError"):
        return None
    owner, name = match[1], match[2]
    if owner.startswith(_HANDLE):
        return _forgotten(f"it has no `{name}`")
    if owner == "_Catalog":
        return "unknown-tool", f"`catalog` has no `{name}`: it has `search` and `describe`"
    if space := _SPACES.match(owner):
        return _unknown_tool(_space(space), name, program)
    return _unknown_key(owner, name, program)


def _missing_member(report: _Report, program: _Program) -> _Found:
    match = _MEMBER.search(report.message)
    if not match or match[1] not in program.workspace.tagger.names:
        return None
    return _unknown_tool("tools" if match[1] == "tools" else f"tools.{match[1]}", match[2], program)


def _unknown_argument(report: _Report, program: _Program) -> _Found:
    binding, match = _binding(report, program), _UNKNOWN.search(report.message)
    if binding is None or match is None:
        return None
    name = match[1]
    # The exact key is as good as the keyword that stands for it.
    if any(name == parameter.key for parameter in binding.parameters) or _takes_more(binding):
        return None
    names = [parameter.name for parameter in binding.parameters]
    near = did_you_mean(name, names)
    hint = _hint(near) or (f"; it has {_names(names)}" if names else "; it takes none")
    return "unknown-argument", f"`{binding.path}` has no parameter `{name}`{hint}"


def _missing_argument(report: _Report, program: _Program) -> _Found:
    binding, match = _binding(report, program), _MISSING.search(report.message)
    call = program.call(report)
    if binding is None or match is None or call is None or call.may_unpack:
        return None
    names = _QUOTED.findall(match[1])
    return "missing-argument", f"`{binding.path}` needs {_names(names)}"


def _too_many(report: _Report, program: _Program) -> _Found:
    binding = _binding(report, program)
    if binding is None:
        return None
    names = [parameter.name for parameter in binding.parameters]
    takes = f"it takes {_names(names)}; name them" if names else "it takes none"
    return "unknown-argument", f"`{binding.path}` gets too many arguments: {takes}"


def _already_assigned(report: _Report, program: _Program) -> _Found:
    binding, names = _binding(report, program), _QUOTED.findall(report.message)
    if binding is None or not names:
        return None
    return "unknown-argument", f"`{binding.path}` gets `{names[0]}` twice"


def _argument_type(report: _Report, program: _Program) -> _Found:
    if key := _KEY.search(report.message):
        return _unknown_key(key[2], key[1], program)
    match = _TYPES.search(report.message)
    if match is None:
        return None
    expected, found = match[1], match[2]
    if found.startswith(_HANDLE):
        return _forgotten("it is passed on as if it were the value")
    binding = _binding(report, program)
    if binding is None or "info: element" in report.message or not _is_certain(expected, found):
        return None
    text = program.text.source[report.start : report.end]
    named = re.match(r"(\w+)\s*=(?!=)", text)
    # One mapping by position is the whole arguments object; `**` spreads one over all parameters.
    if text.startswith("*") or (not named and _is_mapping(found, program)):
        return None
    where = f"`{named[1]}` of `{binding.path}`" if named else f"an argument of `{binding.path}`"
    return "argument-type", f"{where} should be {_readable(expected)}, not {_readable(found)}"


def _on_a_handle(report: _Report, _: _Program) -> _Found:
    if _HANDLE not in report.message:
        return None
    return _forgotten("it is used as if it were the value")


def _unused(report: _Report, _: _Program) -> _Found:
    return _forgotten("nothing is called without it") if _HANDLE in report.message else None


_JUDGES: Final[Mapping[str, Callable[[_Report, _Program], _Found]]] = {
    "unresolved-reference": _unresolved_reference,
    "missing-attribute": _missing_attribute,
    "missing-module-member": _missing_member,
    "unknown-argument": _unknown_argument,
    "missing-argument": _missing_argument,
    "too-many-positional-arguments": _too_many,
    "parameter-already-assigned": _already_assigned,
    "invalid-argument-type": _argument_type,
    "not-subscriptable": _on_a_handle,
    "not-iterable": _on_a_handle,
    "unsupported-operator": _on_a_handle,
    "unused-awaitable": _unused,
}


# --- what several judges say ------------------------------------------------------------------


def _forgotten(why: str) -> _Found:
    return "forgotten-await", f"write `await` before the call: {why}"


def _unknown_tool(space: str, name: str, program: _Program) -> _Found:
    prefix = f"{space}."
    paths = program.workspace.paths
    here = {
        path.removeprefix(prefix).split(".")[0]: path for path in paths if path.startswith(prefix)
    }
    near = did_you_mean(name, here)
    if near is None:
        last = {path.rpartition(".")[2]: path for path in sorted(paths)}
        near_path = last.get(did_you_mean(name, last) or "")
    else:
        near_path = f"{space}.{near}"
    hint = _hint(near_path) or "; `catalog.search(query)` finds tools"
    return "unknown-tool", f"there is no `{space}.{name}`{hint}"


def _unknown_key(owner: str, key: str, program: _Program) -> _Found:
    """A key or attribute of a result that its schema does not declare."""
    results = program.workspace.results
    if program.handles("KeyError") or program.knows_key(key):
        return None
    if (items := _LIST.match(owner)) and (items[1] in results or items[1] == "_Any"):
        return "unknown-key", f"the result is a list and has no `{key}`; take an item of it first"
    if owner not in results:
        return None
    near = did_you_mean(key, results[owner])
    hint = _hint(near) or f"; it has {_names(sorted(results[owner]))}"
    return "unknown-key", f"the result has no key `{key}`{hint}"


def _binding(report: _Report, program: _Program) -> ToolBinding | None:
    match = _METHOD.search(report.message)
    return program.workspace.tools.get(match[1]) if match else None


def _takes_more(binding: ToolBinding) -> bool:
    """Whether the schema asks for arguments that it does not declare."""
    parameters = binding.spec.parameters
    return bool(parameters.get("additionalProperties") or parameters.get("patternProperties"))


def _is_certain(expected: str, found: str) -> bool:
    """Whether a value of the type `found` can in no run be one of `expected`."""
    if _VAGUE.search(found):
        return False
    # Text that is computed, or taken from a list, may well be one of the words.
    return "Literal[" not in expected or "Literal[" in found or found == "None"


def _is_mapping(found: str, program: _Program) -> bool:
    return found.startswith(("dict[", "Mapping[", "_")) or found in program.workspace.results


def _space(match: re.Match[str]) -> str:
    group = match[1] or match[2]
    return f"tools.{group}" if group else "tools"


def _readable(annotation: str) -> str:
    """A type as a model writes it."""
    text = re.sub(r"\b_\w+Input \| Mapping\[str, Any\]", "dict", annotation)
    text = re.sub(r"\b_\w+", "dict", text).replace("Sequence[", "list[")
    text = text.replace("Mapping[", "dict[")[:200]
    only = _LITERAL.match(text)
    return f"`{text}`" if only is None else f"{'one of ' * (', ' in only[1])}`{only[1]}`"


def _hint(near: str | None) -> str:
    return f"; did you mean `{near}`?" if near else ""


def _names(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:12])
    return f"{shown}, ..." if len(names) > 12 else shown


# --- positions --------------------------------------------------------------------------------


def _line_starts(source: str) -> list[int]:
    """Where each line begins, as the language server cuts lines."""
    return [0, *(found.end() for found in re.finditer(r"\r\n|\r|\n", source))]


def _offset(position: Mapping[str, int], starts: list[int]) -> int:
    line = min(position["line"], len(starts) - 1)
    return starts[line] + position["character"]


def _position(offset: int, starts: list[int]) -> tuple[int, int]:
    line = sum(start <= offset for start in starts)
    return line, offset - starts[line - 1] + 1
