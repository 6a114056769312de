"""What a function takes and gives, read from its signature, annotations and docstring.

What no model can call is refused when the tool is made, with every parameter that is at fault. The
schemas are made in function_schemas.py.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import typing_extensions

from codemode.runtime.conversion import Convert, argument_converter
from codemode.runtime.errors import DefinitionError
from codemode.runtime.injected import Provider, provider_of

_EMPTY: Final = inspect.Parameter.empty
#: A function without a return annotation, and an argument that was not sent.
MISSING: Final = object()
_NEVER: Final = (typing.NoReturn, typing.Never, typing_extensions.Never)
#: What may stand around the type of a TypedDict's key -> whether the key is required, if it says.
_QUALIFIERS: Final[dict[Any, bool | None]] = {
    typing.Required: True,
    typing.NotRequired: False,
    typing_extensions.Required: True,
    typing_extensions.NotRequired: False,
    typing_extensions.ReadOnly: None,
}
_UNPACK: Final = (typing.Unpack, typing_extensions.Unpack)


def is_async_callable(function: object) -> bool:
    """Whether calling it gives a coroutine, also through partials and callable objects."""
    function = without_partial(function)
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - its kind is asked, not whether it is there
    )


def without_partial(function: Any) -> Any:
    """What a partial calls in the end."""
    while isinstance(function, functools.partial):
        function = typing.cast("Any", function).func
    return function


def _bound(function: Any) -> frozenset[str]:
    """The names that partials have bound: they are the host's, and no model may set them."""
    names: set[str] = set()
    while True:
        if isinstance(function, functools.partial):
            partial = typing.cast("Any", function)
            names.update(partial.keywords)
            function = partial.func
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            return frozenset(names)


def _taken(target: Any) -> frozenset[str]:
    """The names under which a function takes arguments, that of its object among them."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    own = inspect.signature(getattr(target, "__func__", target))
    return frozenset(p.name for p in own.parameters.values() if p.kind in kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of the function: the model's, or (with a provider) the runtime's.

    Attributes:
        key: Its name on the wire: the alias of its `Field`, or its own.
        fallback: Gives its value when nothing was sent, where the function's own default is not one
            (`limit: int = Field(default=10)`).
        taken: Of an open one, the names that the function has for something else: no model's.
    """

    name: str
    key: str
    annotation: Any
    default: Any
    kind: Any
    provider: Provider | None = None
    convert: Convert | None = None
    fallback: Callable[[], Any] | None = None
    taken: frozenset[str] = frozenset()

    @property
    def is_open(self) -> bool:
        """Whether it takes what no other parameter is named for: `**kwargs`."""
        return self.kind is inspect.Parameter.VAR_KEYWORD

    @property
    def is_required(self) -> bool:
        """Whether a call without it is refused."""
        return self.default is _EMPTY and self.fallback is None


def read_signature(title: str, function: Callable[..., Any]) -> tuple[list[Parameter], Any]:
    """The parameters with their resolved annotations, and the return annotation.

    Raises:
        DefinitionError: No model can call it; every fault is listed.
    """
    if inspect.isclass(function):
        raise DefinitionError(title, ("a class cannot be a tool; give a function that returns it",))
    target = without_partial(function)
    if not (inspect.isfunction(target) or inspect.ismethod(target)):
        target = type(target).__call__
    try:
        hints = typing.get_type_hints(target, include_extras=True)
        signature = inspect.signature(function)
        taken = _taken(target)
    except NameError as error:
        raise DefinitionError(
            title,
            (
                f"its annotations cannot be read: {error}; they are needed at run time:"
                " import or define it outside of `if TYPE_CHECKING` and of functions",
            ),
        ) from error
    except (TypeError, ValueError) as error:
        raise DefinitionError(title, (f"its annotations cannot be read: {error}",)) from error
    bound = _bound(function)
    given = tuple(signature.parameters.values())
    faults = list(_faults_of_shape(given, hints))
    found: list[Parameter] = []
    for parameter in _unpacked(given, hints):
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL or parameter.name in bound:
            continue
        try:
            found.append(_read(parameter))
        except Exception as error:  # noqa: BLE001 - pydantic raises many types for what it cannot do
            why = reason(error, parameter.annotation)
            faults.append(
                f"parameter {parameter.name}: {why}, or let the runtime set it:"
                " Annotated[..., Inject(provider)]"
            )
    if faults:
        raise DefinitionError(title, tuple(faults))
    reserved = (taken | bound) - {parameter.key for parameter in found}
    found = [replace(p, taken=reserved) if p.is_open else p for p in found]
    returns = hints.get("return", MISSING)
    return found, MISSING if returns in _NEVER else returns


def reason(error: Exception, annotation: Any) -> str:
    """Why pydantic can do nothing with an annotation, for the tool's author."""
    from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError

    if isinstance(error, (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema)):
        shown = annotation.__qualname__ if inspect.isclass(annotation) else annotation
        return f"{shown} has no JSON form; use a dataclass, TypedDict, pydantic model, list or dict"
    return in_one_line(error)


def in_one_line(error: Exception) -> str:
    """All that pydantic says, which names the cause on a line of its own; not where to read on."""
    lines = str(error).splitlines()
    told = " ".join(line for line in lines if not line.startswith("For further information"))
    return " ".join(told.split())[:400]


def _faults_of_shape(
    parameters: tuple[inspect.Parameter, ...], hints: dict[str, Any]
) -> Iterator[str]:
    first = parameters[0] if parameters else None
    if first is not None and first.name in ("self", "cls") and first.name not in hints:
        yield f"{first.name}: there is no object; take the bound method: tool(object.method)"
    is_open = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)
    for parameter in parameters:
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            hidden = " (if it was decorated: the decorator needs functools.wraps)"
            yield (
                f"*{parameter.name}: a model passes arguments by name; take a list"
                f"{hidden if is_open else ''}"
            )


def _unpacked(
    parameters: tuple[inspect.Parameter, ...], hints: dict[str, Any]
) -> Iterator[inspect.Parameter]:
    """Each parameter with its resolved annotation; the keys of `**options: Unpack[TypedDict]`."""
    for parameter in parameters:
        annotation = hints.get(parameter.name, Any)
        is_open = parameter.kind is inspect.Parameter.VAR_KEYWORD
        if not (is_open and typing.get_origin(annotation) in _UNPACK):
            yield parameter.replace(annotation=annotation)
            continue
        keys: Any = typing.get_args(annotation)[0]
        for name, kind in typing_extensions.get_type_hints(keys, include_extras=True).items():
            # A class with postponed annotations takes its own qualifiers for required.
            is_required = name in keys.__required_keys__
            while (qualifier := typing.get_origin(kind)) in _QUALIFIERS:
                says = _QUALIFIERS[qualifier]
                is_required = is_required if says is None else says
                kind = typing.get_args(kind)[0]
            yield inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=_EMPTY if is_required else MISSING,
                annotation=kind,
            )


def _read(parameter: inspect.Parameter) -> Parameter:
    annotation, default = parameter.annotation, parameter.default
    provider = provider_of(annotation)
    key, fallback = parameter.name, None
    if provider is None:
        from pydantic.fields import FieldInfo

        if isinstance(default, FieldInfo):
            annotation, default = typing.Annotated[annotation, default], _EMPTY
        for note in notes_of(annotation):
            if isinstance(note, FieldInfo):
                names = (note.validation_alias, note.alias)
                key = next((name for name in names if isinstance(name, str)), key)
                if default is _EMPTY and not note.is_required():
                    fallback = functools.partial(note.get_default, call_default_factory=True)
    return Parameter(
        name=parameter.name,
        key=key,
        annotation=annotation,
        default=default,
        kind=parameter.kind,
        provider=provider,
        convert=argument_converter(annotation) if provider is None else None,
        fallback=fallback,
    )


def notes_of(annotation: Any) -> tuple[Any, ...]:
    """What `Annotated[...]` says beside the type."""
    is_annotated = typing.get_origin(annotation) is typing.Annotated
    return typing.get_args(annotation)[1:] if is_annotated else ()
