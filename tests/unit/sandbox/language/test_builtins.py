"""The builtins that programs have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from codemode.sandbox.language import DeniedError
from codemode.sandbox.language.builtins import SAFE
from codemode.sandbox.language.names import WITHHELD_BUILTINS

Run = Callable[[str], Any]


@pytest.mark.spec("SANDBOX 5.6")
def test_what_turns_text_into_code_is_under_no_name() -> None:
    assert not set(WITHHELD_BUILTINS) & set(SAFE)
    unsafe = (eval, exec, compile, globals, locals, open, type)
    assert not [name for name, value in SAFE.items() if any(value is one for one in unsafe)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(a):\n    b = 1\n    return locals()\nf(2)", {"a": 2, "b": 1}),
        ("def f(a):\n    b = 1\n    return vars()\nf(2)", {"a": 2, "b": 1}),
        ("def vars(): return 5\ndef f(): return vars()\nf()", 5),
        ("def f():\n    x = 1\n    return [n for n in dir() if n == 'x']\nf()", ["x"]),
        ("x = 1\n[n for n in dir() if '$' in n]", []),
        ("'upper' in dir('')", True),
        ("import types\nvars(types.SimpleNamespace(a=1))", {"a": 1}),
    ],
)
def test_names_of_a_scope_can_be_listed_without_the_policys_own(
    run: Run, source: str, expected: object
) -> None:
    assert run(source).result == expected


@pytest.mark.parametrize("name", ["open", "input", "help"])
def test_what_the_guest_would_provide_says_that_it_is_not_there(run: Run, name: str) -> None:
    with pytest.raises(DeniedError, match=rf"{name}\(\) is refused here"):
        run(f"{name}('x')")


def test_exit_ends_the_program(run: Run) -> None:
    with pytest.raises(SystemExit) as caught:
        run("exit(3)")
    assert caught.value.code == 3


@pytest.mark.spec("SANDBOX 5.1")
@pytest.mark.parametrize(
    "call",
    [
        *("getattr()", "getattr(1)", "hasattr(1)", "setattr(1, 'a')", "delattr(1)", "type()"),
        *("type(1, 2)", "vars(1)", "super(1, 2)", "getattr(1, 5)", "hasattr(1, 'a', b=2)"),
        *("setattr(1, 'x', 2)", "setattr(int, 'x', 2)", "delattr([], 'append')"),
    ],
)
def test_a_wrong_call_has_the_interpreters_own_error(run: Run, call: str) -> None:
    with pytest.raises(Exception) as native:
        eval(call)
    with pytest.raises(type(native.value)) as ours:
        run(call)
    assert str(ours.value) == str(native.value)


@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 6.5")
@pytest.mark.parametrize("target", ["(1)", "'a'", "[]", "{}", "None", "len", "int", "object()"])
def test_a_store_that_nothing_takes_has_the_interpreters_own_error(run: Run, target: str) -> None:
    source = f"x = {target}\nx.mine = 1"
    with pytest.raises((AttributeError, TypeError)) as native:
        exec(source, {})
    with pytest.raises(type(native.value)) as ours:
        run(source)
    assert str(ours.value) == str(native.value)
