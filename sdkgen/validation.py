"""Compile a JSON Schema once, then check values against it in about a microsecond.

jsonschema-rs, always offline and with regular expressions that run in linear time. Strict mode
refuses a faulty schema with every fault; lenient mode takes the faulty node for 'any JSON' and says
so, so that a stranger's schema never breaks a catalog. A schema cannot make a check slow: what it
can expand to in one place has a budget.

Source: JSON Schema 2020-12; jsonschema-rs, `Validator`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, Final, cast

import jsonschema_rs

from codemode.sdkgen.documents import TYPES, child, own_copy
from codemode.sdkgen.expansion import is_bounded
from codemode.sdkgen.identifiers import localize
from codemode.sdkgen.repair import DIALECTS, Fault, read_type, repair
from codemode.sdkgen.survey import Standing, survey
from codemode.sdkgen.violation import Violation, describe_error

#: Most violations that one check reports.
MAX_VIOLATIONS: Final = 20
#: Most faults that one schema reports.
MAX_FAULTS: Final = 50

_PATTERNS: Final = jsonschema_rs.RegexOptions(size_limit=1 << 20, dfa_size_limit=1 << 20)


class SchemaError(ValueError):
    """A schema of the author's cannot be used. Nothing was registered; a retry does not help.

    Attributes:
        pointer: Where the first fault is.
        message: Every fault, one a line.
        faults: (pointer, reason) of each.
    """

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        self.pointer = faults[0].pointer
        self.message = "\n".join(f"{fault.pointer or '/'}: {fault.reason}" for fault in faults)
        super().__init__(self.message)


class Validator:
    """A compiled schema.

    Attributes:
        degraded: Nodes that are taken for 'any JSON' (or keywords that are ignored), with reasons;
            always empty in strict mode.
    """

    __slots__ = ("_compiled", "degraded")

    def __init__(self, compiled: jsonschema_rs.Validator, degraded: tuple[str, ...]) -> None:
        self._compiled = compiled
        self.degraded = degraded

    def is_valid(self, value: object) -> bool:
        """Whether `value` satisfies the schema; False for what is not JSON."""
        try:
            return self._compiled.is_valid(value)
        except ValueError:
            return False

    def violations(self, value: object) -> tuple[Violation, ...]:
        """What is wrong with `value`, at most `MAX_VIOLATIONS`; empty when it is valid."""
        try:
            if self._compiled.is_valid(value):
                return ()
            found: list[Violation] = []
            for error in self._compiled.iter_errors(cast("Any", value)):
                found.append(describe_error(error))
                if len(found) == MAX_VIOLATIONS:
                    break
        except ValueError as error:
            return (Violation(pointer="", message=f"not JSON: {str(error)[:200]}", keyword="type"),)
        return tuple(found)


def compile_schema(
    schema: Mapping[str, object] | bool, *, lenient: bool, standing: Standing | None = None
) -> Validator:
    """Compile a schema.

    Args:
        schema: Any; it is not changed, and not needed afterwards.
        lenient: Replace what is faulty instead of refusing the schema.
        standing: What `survey` says of it, for a caller who has asked.

    Raises:
        SchemaError: The schema is faulty and `lenient` is False.
    """
    faults: list[Fault] = []
    compiled: jsonschema_rs.Validator | None = None
    if _is_sound(schema, standing or survey(schema)):
        compiled = _compile_at_once(cast("dict[str, object]", schema), faults)
    if compiled is None:
        copied, notes = own_copy(schema)
        localize(copied)
        faults = [Fault(pointer="", reason=note, repair="cut or replaced") for note in notes]
        repaired, found = repair(copied, is_valid_pattern)
        faults.extend(found)
        compiled = _compile(repaired, faults)
    if faults and not lenient:
        raise SchemaError(tuple(faults[:MAX_FAULTS]))
    return Validator(compiled, tuple(map(str, faults)) if faults else ())


def _is_sound(schema: object, standing: Standing) -> bool:
    """Whether it can be compiled without a repair, as far as one can tell before."""
    if standing is Standing.REFERRING:
        return is_bounded(cast("dict[str, object]", schema))
    return standing is Standing.PLAIN


def _compile_at_once(
    schema: dict[str, object], faults: list[Fault]
) -> jsonschema_rs.Validator | None:
    """Compile what is plain, if the compiler takes it as it stands.

    But for the type of the root: that one is misnamed more often than all others together.
    """
    said = schema.get("type")
    if type(said) is str and said not in TYPES:
        meant, found = read_type(said, "/type")
        if meant is None:
            return None
        schema = {**schema, "type": meant}
        faults.extend(found)
    try:
        return jsonschema_rs.validator_for(schema, offline=True, pattern_options=_PATTERNS)
    except (ValueError, RecursionError, jsonschema_rs.ReferencingError):
        return None


def sound_schema(
    schema: Mapping[str, object], *, is_usable: Callable[[str], bool], keeps_dialect: bool
) -> dict[str, object]:
    """A copy that is a schema by the book, for readers that refuse any other.

    What is faulty is repaired as `compile_schema` repairs it.

    Args:
        is_usable: Whether a regular expression may stay.
        keeps_dialect: Leave the schema in the dialect that it declares; otherwise it is one of
            2020-12, and declares none.
    """
    copied, _ = own_copy(schema)
    localize(copied)
    if not keeps_dialect:
        copied.pop("$schema", None)
    sound, _ = repair(copied, is_usable)
    for _ in range(MAX_FAULTS):
        refused = _refused_keywords(sound)
        dropped = [path for path, _ in refused if _drop(sound, list(path))]
        if not dropped:
            return {} if refused else sound
    return {}


@lru_cache(maxsize=256)
def is_valid_pattern(pattern: str) -> bool:
    """Whether a regular expression can be matched in linear time, and is one."""
    try:
        jsonschema_rs.Draft202012Validator(
            {"pattern": pattern}, offline=True, pattern_options=_PATTERNS
        )
    except (ValueError, jsonschema_rs.ReferencingError):
        return False
    return True


def _compile(schema: dict[str, object], faults: list[Fault]) -> jsonschema_rs.Validator:
    """Compile, dropping the keywords that the dialect refuses until the compiler takes the rest."""
    for _ in range(MAX_FAULTS):
        try:
            return jsonschema_rs.validator_for(schema, offline=True, pattern_options=_PATTERNS)
        except jsonschema_rs.ValidationError as error:
            refused = _refused_keywords(schema) or [(tuple(error.instance_path), error.message)]
        except (ValueError, jsonschema_rs.ReferencingError) as error:
            refused = [((), str(error))]
        dropped = [(path, reason) for path, reason in refused if _drop(schema, list(path))]
        for path, reason in dropped or refused:
            faults.append(Fault(pointer=child("", *path), reason=reason[:200], repair="ignored"))
        if not dropped:
            break
    else:
        faults.append(Fault(pointer="", reason="too many faults"))
    return jsonschema_rs.validator_for({}, offline=True)


def _refused_keywords(schema: dict[str, object]) -> list[tuple[tuple[str | int, ...], str]]:
    """Where a schema is not one by its own dialect, each place once, with the reason."""
    found: dict[tuple[str | int, ...], str] = {}
    for error in _dialect(str(schema.get("$schema", DIALECTS[0]))).iter_errors(cast("Any", schema)):
        found.setdefault(tuple(error.instance_path), str(error.message))
    return list(found.items())


@cache
def _dialect(uri: str) -> jsonschema_rs.Validator:
    """The validator of schemas, one for each of `DIALECTS`."""
    return jsonschema_rs.validator_for({"$schema": uri, "$ref": uri}, offline=True)


def _drop(schema: dict[str, object], path: list[str | int]) -> bool:
    """Remove the innermost keyword on `path`; for an item of a list, the keyword that holds it."""
    while path and isinstance(path[-1], int):
        path = path[:-1]
    node: Any = schema
    try:
        for part in path[:-1]:
            node = node[part]
        del node[path[-1]]
    except (KeyError, IndexError, TypeError):
        return False
    return True
