"""From what was submitted to the one frozen arguments object of a call.

The order is fixed: parse -> normalise -> coerce (declared) -> required, unknown and schema ->
the definition's own validation -> freeze. Everything here is pure, so that a replay from the raw
text gives the same arguments; a default of the schema is never sent on the caller's behalf.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from codemode.runtime.coercion import coerce
from codemode.runtime.contract import Contract
from codemode.runtime.failures import describe_exception, encodable
from codemode.runtime.jsontext import JsonTextError, parse_object
from codemode.runtime.log.canonical import encode
from codemode.sandbox.values import FrozenDict, InvalidValueError, Json, snapshot, thaw
from codemode.sdkgen import Violation, explain_violations

MAX_LISTED: Final = 20


class ArgumentsError(ValueError):
    """The arguments are unfit; nothing ran.

    Attributes:
        violations: (pointer, message) of each fault of a value.
        missing: Required names that were not given.
        unknown: Names that the tool does not take.
        allowed: Names that it does take.
        nearest: Unknown name -> the declared name that was probably meant.
    """

    def __init__(
        self,
        message: str,
        *,
        violations: tuple[tuple[str, str], ...] = (),
        missing: tuple[str, ...] = (),
        unknown: tuple[str, ...] = (),
        allowed: tuple[str, ...] = (),
        nearest: Mapping[str, str] | None = None,
    ) -> None:
        message = encodable(message)
        super().__init__(message)
        self.message = message
        self.violations = tuple((encodable(at), encodable(text)) for at, text in violations)
        self.missing = missing
        self.unknown = unknown
        self.allowed = allowed
        self.nearest = dict(nearest or {})

    def as_meta(self) -> dict[str, Json]:
        """The lists, for the result's meta."""
        return {
            "violations": [{"pointer": at, "message": text} for at, text in self.violations],
            "missing": list(self.missing),
            "unknown": list(self.unknown),
            "allowed": list(self.allowed),
            "nearest": dict(self.nearest),
        }


@dataclass(frozen=True, slots=True)
class Prepared:
    """Arguments that a body may receive.

    Attributes:
        value: Deeply frozen.
        is_changed: Normalisation or coercion made it differ from what was submitted.
        is_coerced: Coercion did.
    """

    value: Any
    is_changed: bool = False
    is_coerced: bool = False


def read_arguments(submitted: object) -> Any:
    """Take what was submitted as a frozen JSON object, before any definition is looked at.

    Raises:
        ArgumentsError: Not strict JSON, or not an object.
    """
    if type(submitted) is FrozenDict:
        return submitted  # a snapshot already: the bridge's decoder made it
    try:
        parsed: object = parse_object(submitted) if isinstance(submitted, str) else submitted
        value = snapshot(parsed)
    except JsonTextError as error:
        raise ArgumentsError(str(error)) from None
    except InvalidValueError as error:
        faults = tuple((fault.pointer, fault.message) for fault in error.violations)
        raise ArgumentsError(f"the arguments are not JSON: {error}", violations=faults) from None
    if not isinstance(value, dict):
        raise ArgumentsError(f"the arguments must be an object, not {type(submitted).__name__}")
    return value


def prepare_arguments(contract: Contract, submitted: Any) -> Prepared:
    """Normalise and validate a frozen arguments object under a definition.

    Raises:
        ArgumentsError: The definition refuses it; every fault is listed.
    """
    tool = contract.tool
    value = submitted
    is_coerced = False
    if tool.normalize_arguments is not None:
        value = _normalised(contract, value)
    if tool.coerces and contract.arguments is not None:
        value, is_coerced = coerce(value, contract.arguments)
    injected = tool.injected_parameters
    if injected and not injected.isdisjoint(value):
        _refuse(contract, value, ())
    if contract.arguments is not None and (found := contract.arguments.violations(value)):
        _refuse(contract, value, found)
    if tool.validate_arguments is not None:
        _check_own_rules(contract, value)
    is_changed = value is not submitted and encode(value) != encode(submitted)
    return Prepared(value, is_changed, is_coerced)


def _normalised(contract: Contract, submitted: Any) -> Any:
    normalise = contract.tool.normalize_arguments
    if normalise is None:
        return submitted
    try:
        return read_arguments(normalise(thaw(submitted)))
    except Exception as error:  # noqa: BLE001 - the definition's own code is called here
        raise ArgumentsError(
            f"the arguments could not be read: {describe_exception(error)}"
        ) from None


def _check_own_rules(contract: Contract, value: Any) -> None:
    validate = contract.tool.validate_arguments
    if validate is None:
        return
    try:
        faults = tuple(str(fault) for fault in validate(value) or ())[:MAX_LISTED]
    except Exception as error:  # noqa: BLE001 - the definition's own code is called here
        faults = (describe_exception(error),)
    if faults:
        raise ArgumentsError(
            f"invalid arguments for {contract.tool.name}: " + "; ".join(faults),
            violations=tuple(("", fault) for fault in faults),
            allowed=contract.declared,
        )


def _refuse(contract: Contract, value: Mapping[str, Json], found: tuple[Violation, ...]) -> None:
    """Say everything that is wrong at once."""
    tool = contract.tool
    report = explain_violations(tool.parameters, value, found, known=contract.declared)
    injected = tuple(name for name in value if name in tool.injected_parameters)
    notes = "".join(f"\n{name!r} is set by the runtime; leave it out" for name in injected)
    raise ArgumentsError(
        f"invalid arguments for {tool.name}:\n{report.text}{notes}",
        violations=tuple((violation.pointer, violation.message) for violation in found),
        missing=report.missing,
        unknown=report.unknown[:MAX_LISTED] if contract.is_closed else injected,
        allowed=report.allowed,
        nearest=report.nearest,
    )
