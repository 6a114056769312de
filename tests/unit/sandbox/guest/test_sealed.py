"""Classes that nobody can write to, by whatever way."""

from __future__ import annotations

import abc
import difflib
import enum
from collections.abc import Iterator
from typing import Any

import pytest

from codemode.sandbox.guest.sealed import seal, unseal
from codemode.sandbox.marks import override


@pytest.fixture
def kind() -> Iterator[Any]:
    """A class that is sealed for the test."""

    class Plain:
        x = 1

    seal([Plain])
    yield Plain
    unseal()


@pytest.mark.spec("SANDBOX 6.5")
def test_a_sealed_class_takes_no_attribute(kind: Any) -> None:
    changes: list[tuple[Any, ...]] = [
        (setattr, kind, "x", 2),
        (setattr, kind, "y", 2),
        (delattr, kind, "x"),
        (type.__setattr__, kind, "x", 2),
    ]
    for change, *arguments in changes:
        with pytest.raises(TypeError, match="immutable type"):
            change(*arguments)
    assert kind.x == 1
    assert not hasattr(kind, "y")


def test_its_instances_and_heirs_are_as_before(kind: Any) -> None:
    made = kind()
    made.x = 2
    heir: Any = type("Heir", (kind,), {})
    heir.x = 3
    assert (made.x, heir().x, kind().x) == (2, 3, 1)


def test_abstract_classes_and_enums_still_work() -> None:
    class Abstract(abc.ABC):
        @abc.abstractmethod
        def f(self) -> int: ...

    class Bits(enum.Flag):
        A = 1
        B = 2

    class Concrete(Abstract):
        @override
        def f(self) -> int:
            return 1

    seal([Abstract, Bits, Concrete])
    try:
        Abstract.register(int)
        assert isinstance(1, Abstract)
        assert isinstance(Concrete(), Abstract)
        assert (Bits.A | Bits.B).value == 3
        with pytest.raises(TypeError):
            Abstract()  # type: ignore[abstract]  # what is tested
    finally:
        unseal()


def test_what_was_unsealed_takes_attributes_again() -> None:
    class Plain:
        pass

    seal([Plain])
    unseal()
    Plain.y = 1  # type: ignore[attr-defined]  # what is tested
    seal([int])
    unseal()  # a class of the interpreter's own stays as it is
    with pytest.raises(TypeError):
        int.y = 1  # type: ignore[attr-defined]  # what is tested


def test_a_class_on_which_the_library_counts_is_left_open() -> None:
    seal([difflib.HtmlDiff])
    try:
        assert "<table" in difflib.HtmlDiff().make_table(["a"], ["b"])
    finally:
        unseal()
