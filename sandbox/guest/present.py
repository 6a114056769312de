"""`datetime` for a run with a clock of its own: the present is the run's, the objects are real.

The classes of `datetime` are written in C and read the machine's clock; what stands for them here
only answers the questions for the present, and makes real objects of everything else.
"""

from __future__ import annotations

import datetime
from typing import Any, Final

from codemode.sandbox.guest.chance import now
from codemode.sandbox.marks import override


class _Instances(type):
    """Lets the real objects pass as instances of what stands for their class."""

    real: Any

    @override
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.real)

    @override
    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.real)


class RunDate(datetime.date, metaclass=_Instances):
    """`datetime.date` whose today is the run's; it makes the real objects."""

    real = datetime.date

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """A real date."""
        return cls.real(*args, **kwargs)

    @classmethod
    @override
    def today(cls) -> Any:
        """The run's day."""
        return cls.real.fromtimestamp(now())


class RunDatetime(datetime.datetime, metaclass=_Instances):
    """`datetime.datetime` whose present is the run's; it makes the real objects."""

    real = datetime.datetime

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """A real datetime."""
        return cls.real(*args, **kwargs)

    @classmethod
    @override
    def now(cls, tz: datetime.tzinfo | None = None) -> Any:
        """The run's present."""
        return cls.real.fromtimestamp(now(), tz)

    @classmethod
    @override
    def utcnow(cls) -> Any:
        """The run's present in UTC, without a zone."""
        return cls.real.fromtimestamp(now(), datetime.UTC).replace(tzinfo=None)

    @classmethod
    @override
    def today(cls) -> Any:
        """The run's present."""
        return cls.real.fromtimestamp(now())


#: What takes the place of the names of `datetime`.
MOVED: Final = {"date": RunDate, "datetime": RunDatetime}


def move(view: dict[str, Any]) -> None:
    """Put them in place, in the real module and in the program's view of it."""
    for name, kind in MOVED.items():
        setattr(datetime, name, kind)
    view.update(MOVED)
