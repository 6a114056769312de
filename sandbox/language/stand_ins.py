"""What programs are shown for a class that makes classes: a stand-in, which makes vetted ones only.

The stand-ins themselves are made in `classes`. The real `type` must never be handed out.
"""

from __future__ import annotations

from typing import Any, Final

from codemode.sandbox.language.ownership import exact_type, is_class

#: What programs know each metaclass as, by the metaclass; filled by `classes`.
STAND_INS: Final[dict[type, Any]] = {}


def safe_type(value: Any) -> Any:
    """The class of `value`; for a class, a stand-in that cannot make or change classes.

    For a `super()` it is the checked one, which passes over no foreign class.
    """
    return shown_class(exact_type(value))


def shown_class(value: Any) -> Any:
    """`value`, or the stand-in of `super` and of a class that makes classes."""
    return _stand_in(value) if is_class(value) and issubclass(value, (type, super)) else value


def _stand_in(metaclass: type) -> Any:
    """What programs know `metaclass` as: one that has no name of its own is `type` to them."""
    return STAND_INS.get(metaclass, STAND_INS[type])
