"""A tool's definition: four contracts in one frozen record, and its faults.

The record knows no registry and no pipeline. Only `wire()` leaves the process: name, description
and parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from codemode.runtime.content import text_content
from codemode.sandbox.values import Json

if TYPE_CHECKING:
    from codemode.runtime.execution import RunContext
    from codemode.runtime.policy import BodyOutcome

Effect = Literal["read", "write", "process", "network", "external", "delegate"]
EFFECTS: Final[frozenset[str]] = frozenset(
    {"read", "write", "process", "network", "external", "delegate"}
)

#: What a tool declares that changes nothing.
READ_ONLY: Final[frozenset[str]] = frozenset({"read"})

#: The transport's name; no registration may take it.
RUN_CODE: Final = "run_code"

Arguments: TypeAlias = Mapping[str, Json]
Render: TypeAlias = "Callable[[Arguments, Json], object]"
Execute: TypeAlias = "Callable[[Arguments, RunContext], Any]"


def render_json(_: Arguments, value: Json) -> object:
    """Strings raw, everything else as compact JSON."""
    from codemode.runtime.jsontext import compact

    return text_content(value if isinstance(value, str) else compact(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What a tool returns.

    Attributes:
        schema: JSON Schema of the canonical value; `{}` is any JSON.
        render: The pure projection of (arguments, value) to content: text, a block, or a list.
        presentation_meta: Pure; UI metadata of (arguments, value).
    """

    schema: Mapping[str, Any] = field(default_factory=dict[str, Any])
    render: Render = render_json
    presentation_meta: Callable[[Arguments, Json], Mapping[str, Any] | None] | None = None


ANY_JSON: Final = Output()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One callable that a host offers.

    Attributes:
        parameters: JSON Schema of the arguments object; the root is open unless it is closed here.
        execute: `(arguments, run)`; sync ones run in a worker thread. Returns one JSON value.
        is_async: `execute` gives an awaitable.
        finalize_content: Sync, `(arguments, outcome) -> content`; may replace content only.
        timeout_s: Finite and positive, enforced by the timeout wrapper; None is no limit.
        is_concurrency_safe: True, False, or a predicate of the arguments.
        normalize_arguments: Pure; runs on the parsed object before validation.
        validate_arguments: What a schema cannot say; returns faults, or None.
        advertised: False: callable by name, never published.
        pin: `native` or `code`: the only entry point; None is both.
        group: The server or family it belongs to.
        is_idempotent: A retry is harmless.
        coerces: Decode JSON strings and numeric strings where the schema wants something else.
        validates_own_arguments: The registry does not judge arguments by the schema.
        is_adapted: From a foreign catalog: a bad schema node becomes any JSON, not a fault.
        protocol: How the body is reached, where that is not a call in this process; for telemetry.
        injected_parameters: Names that the runtime sets; to a model they are unknown, whatever
            the root.
        function: What `@tool` decorated; calling the tool calls it.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    execute: Execute
    output: Output | None = ANY_JSON
    is_async: bool = True
    finalize_content: Callable[[Arguments, BodyOutcome], object] | None = None
    timeout_s: float | None = None
    is_concurrency_safe: bool | Callable[[Arguments], bool] = False
    normalize_arguments: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    validate_arguments: Callable[[Arguments], Iterable[str] | None] | None = None
    present_call: Callable[[Arguments], Mapping[str, Any] | None] | None = None
    present_result: Callable[[Arguments, Mapping[str, Any]], Mapping[str, Any] | None] | None = None
    advertised: bool = True
    effects: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()
    pin: Literal["native", "code"] | None = None
    group: str | None = None
    is_idempotent: bool = False
    coerces: bool = False
    validates_own_arguments: bool = False
    is_adapted: bool = False
    protocol: Literal["mcp"] | None = None
    injected_parameters: frozenset[str] = frozenset()
    function: Callable[..., Any] | None = None

    @classmethod
    def raw(
        cls,
        name: str,
        description: str,
        parameters: Mapping[str, Any],
        handler: Execute,
        **options: Any,
    ) -> Tool:
        """A tool from a JSON Schema and a handler `(arguments, run)`, such as an adapter's.

        Args:
            options: Further attributes by name; `effects` may be any iterable. `is_async` is found
                from the handler, and `effects == {"read"}` implies concurrency-safe, unless given.
        """
        from codemode.runtime.signatures import is_async_callable

        options.setdefault("is_async", is_async_callable(handler))
        options["effects"] = words_of(options.get("effects") or (), frozenset)
        options.setdefault("is_concurrency_safe", options["effects"] == READ_ONLY)
        return cls(
            name=name, description=description, parameters=parameters, execute=handler, **options
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the decorated function itself: no pipeline, no policy. For the author's own tests.

        Raises:
            TypeError: The tool was not made from a function.
        """
        if self.function is None:
            raise TypeError(f"tool {self.name!r} was made from no function; run it by a pipeline")
        return self.function(*args, **kwargs)

    @property
    def is_read_only(self) -> bool:
        """Whether its only declared effect is reading."""
        return self.effects == READ_ONLY

    def wire(self) -> dict[str, Any]:
        """What goes to a model: an allow-list of three."""
        return {
            "name": self.name,
            "description": self.description,
            "parameters": dict(self.parameters),
        }

    def faults(self, *, is_transport: bool = False) -> list[str]:
        """Everything that makes it unfit for registration, schemas excepted."""
        found: list[str] = []
        name: Any = self.name
        execute: Any = self.execute
        render: Any = None if self.output is None else self.output.render
        if not isinstance(name, str) or not name:
            found.append("the name must be a non-empty string")
        if not is_transport and (self.name == RUN_CODE or RUN_CODE in self.aliases):
            found.append(f"the name {RUN_CODE!r} is reserved for the transport")
        if self.output is None:
            found.append("there is no output declaration; use ANY_JSON for any JSON value")
        elif not callable(render):
            found.append("output.render is not callable")
        if not callable(execute):
            found.append("execute is not callable")
        if self.timeout_s is not None and not _is_duration(self.timeout_s):
            found.append(f"timeout_s must be finite and positive, not {self.timeout_s!r}")
        found += _not_words("aliases", self.aliases)
        if unfit := _not_words("effects", self.effects):
            found += unfit
        elif unknown := sorted(self.effects - EFFECTS):
            found.append(f"unknown effects {unknown}; known are {sorted(EFFECTS)}")
        if self.pin not in (None, "native", "code"):
            found.append(f"pin is 'native' or 'code', not {self.pin!r}")
        return found


def words_of(value: Any, kind: Callable[[Iterable[str]], Any]) -> Any:
    """The members of a list of words; a text in its place is left, to be refused as a whole."""
    return value if isinstance(value, str) else kind(value)


def _not_words(name: str, value: Any) -> list[str]:
    is_several = type(value) in (frozenset, set, tuple, list)
    if is_several and all(isinstance(word, str) for word in value):
        return []
    return [f"{name} must be several texts, such as {{'read'}} or ('old',), not {value!r}"]


def _is_duration(value: Any) -> bool:
    """Whether it is a finite, positive number of seconds."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and value > 0
