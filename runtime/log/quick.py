"""The fast path of validation: a sound shortcut, made from the pydantic models themselves.

For each model, one predicate a field. A predicate that says yes is right; one that says no only
hands the event to pydantic, which decides and finds the words. tests/property/test_log_quick.py
holds the two together. It exists because two events of every nested call pass through here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, cast, get_args, get_origin, get_type_hints

from codemode.runtime.log.vocabulary import Count, Data, Milliseconds, Part, Seconds, Sha256
from codemode.sandbox.values import FrozenDict

Predicate = Callable[[Any], bool]

_INFINITY: Final = float("inf")
_is_digest: Final = re.compile(r"(?:hmac-sha256:)?[0-9a-f]{64}").fullmatch


def _is_amount(value: object) -> bool:
    return type(value) in (float, int) and 0 <= cast("float", value) < _INFINITY


#: What each plain annotation of the vocabulary accepts, by exact type.
_PLAIN: Final[dict[object, Predicate]] = {
    Any: lambda value: True,
    str: lambda value: type(value) is str,
    bool: lambda value: type(value) is bool,
    int: lambda value: type(value) is int,
    Count: lambda value: type(value) is int and value >= 0,
    Sha256: lambda value: type(value) is str and _is_digest(value) is not None,
    Milliseconds: _is_amount,
    Seconds: _is_amount,
}


@dataclass(frozen=True, slots=True)
class Quick:
    """The shortcut for one model.

    Attributes:
        fields: A predicate by field.
        required: Fields that must be there.
        free: Fields that may hold any JSON, so that they need the lossless boundary.
    """

    fields: Mapping[str, Predicate]
    required: frozenset[str]
    free: frozenset[str]

    def accepts(self, data: dict[str, Any]) -> bool:
        """Whether the fields certainly fit the model."""
        fields = self.fields
        try:
            for name, value in data.items():
                if not fields[name](value):
                    return False
        except KeyError:
            return False
        return self.required <= data.keys()


def compile_quick(model: type[Part]) -> Quick:
    """Make the shortcut of a model."""
    hints = get_type_hints(model, include_extras=True)
    names = {name: hints[name] for name in model.model_fields}
    return Quick(
        fields={name: _predicate(hint) for name, hint in names.items()},
        required=frozenset(n for n, info in model.model_fields.items() if info.is_required()),
        free=frozenset(name for name, hint in names.items() if _is_free(hint)),
    )


_compiled: dict[type[Data], Quick] = {}


def quick_of(model: type[Data]) -> Quick:
    """The shortcut of a model, made once."""
    quick = _compiled.get(model)
    if quick is None:
        quick = _compiled[model] = compile_quick(model)
    return quick


def _predicate(hint: Any) -> Predicate:
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        texts = frozenset(parts)
        return lambda value: type(value) is str and value in texts
    if origin in (Union, UnionType):
        # None never comes here: fields that are None are left out before.
        options = [_predicate(part) for part in parts if part is not NoneType]
        if len(options) == 1:
            return options[0]
    if isinstance(hint, type) and issubclass(hint, Part):
        quick = compile_quick(hint)
        return lambda value: type(value) in (dict, FrozenDict) and quick.accepts(value)
    return lambda value: False


def _is_free(hint: Any) -> bool:
    return hint is Any or any(_is_free(part) for part in get_args(hint))
