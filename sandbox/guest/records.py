"""What a call gives back: a dict whose keys can also be read as attributes."""

from __future__ import annotations

import difflib
from typing import Any, Final, NoReturn

from codemode.sandbox.marks import override


class Record(dict[str, Any]):
    """A plain dict in every respect but one: `issue.title` is `issue["title"]`.

    The methods of dict win over keys: `record["items"]` is the key, `record.items` the method.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        text = self._has_no(name)
        raise AttributeError(text, name=name, obj=None)  # or the interpreter offers a name too

    def __missing__(self, key: Any) -> NoReturn:
        error = KeyError(key)
        if type(key) is str:
            error.add_note(self._has_no(key))
        raise error

    def _has_no(self, name: str) -> str:
        near = difflib.get_close_matches(name, [key for key in self if type(key) is str], n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        keys = ", ".join(map(repr, list(self)[:12])) or "no keys"
        return f"this value has no {name!r} (it has: {keys}){hint}"

    @override
    def __reduce__(self) -> tuple[type, tuple[dict[str, Any]]]:
        return (Record, (dict(self),))

    def __copy__(self) -> Record:
        return Record(self)

    @override
    def copy(self) -> Record:
        """A shallow copy that is a record too."""
        return Record(self)


# What programs know it as, in a type's name and in the interpreter's own messages.
Record.__module__, Record.__name__, Record.__qualname__ = "builtins", "dict", "dict"

#: The exact types that cross the bridge as plain maps.
RECORDS: Final[frozenset[type]] = frozenset({Record})
