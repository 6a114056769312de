"""What a call gives back: a dict whose keys can also be read as attributes."""

from __future__ import annotations

import difflib
from typing import Any, Final

from codemode.sandbox.marks import override


class Record(dict[str, Any]):
    """A plain dict in every respect but one: `issue.title` is `issue["title"]`.

    The methods of dict win over keys: `record["items"]` is the key, `record.items` the method.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            pass
        near = difflib.get_close_matches(name, [key for key in self if type(key) is str], n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        keys = ", ".join(map(repr, list(self)[:12])) or "no keys"
        text = f"this value has no {name!r} (it has: {keys}){hint}"
        raise AttributeError(text, name=name, obj=None)  # or the interpreter offers a name too

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
