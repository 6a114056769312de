"""What the policy adds to a running program, counted in instructions: no clock can disturb it.

Counted are all that the interpreter executes in Python code, the policy's own functions included;
the figures in seconds are the benchmark's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from codemode.sandbox.language import Views, compile_program, make_globals

#: Each runs often enough that what is done once, such as making a class, does not count.
WORKLOADS = {
    "recursion": "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(14)\n",
    "loops": """
def loops():
    total = 0
    for i in range(60):
        for j in range(60):
            total += i * j & 7
    return total
loops()
""",
    "dict counting": """
counts = {}
for word in ("a b c d e a b c a b " * 300).split():
    counts[word] = counts.get(word, 0) + 1
    counts[word] += 1
""",
    "attributes": """
class Vector:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def add(self, other):
        self.x += other.x
        self.y += other.y
        return self

def main():
    total = 0
    step = Vector(1, 2)
    for i in range(2_000):
        total += Vector(i, i + 1).add(step).x
    return total

main()
""",
    "method calls": """
class Account:
    def __init__(self):
        self.balance = 0

    def deposit(self, amount):
        self.balance += amount
        self._enter_in_book(amount)

    def _enter_in_book(self, amount):
        self.last = amount

account = Account()
for i in range(2_000):
    account.deposit(i)
""",
}


def instructions(run: Callable[[], object]) -> int:
    """How many instructions `run` executes, in every frame that it enters."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys._getframe().f_trace_opcodes = True  # before the hook: 3.12 looks for the first at that time
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.spec("SANDBOX 6.8")
@pytest.mark.parametrize("name", WORKLOADS)
def test_a_program_executes_a_tenth_more_instructions_at_most(name: str, views: Views) -> None:
    source = WORKLOADS[name]
    plain = compile(source, "program.py", "exec", dont_inherit=True)
    guarded = compile_program(source, foreign_names=views.foreign_names)
    outside: dict[str, Any] = {"__name__": "__main__"}
    inside = make_globals(views)
    expected = instructions(lambda: exec(plain, outside))  # the test's own text
    assert expected > 10_000
    assert instructions(lambda: guarded.start(inside)) <= 1.10 * expected
