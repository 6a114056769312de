"""What the language policy costs a running program, beside plain CPython in the same process.

    python -m benchmarks.guard_overhead [--rounds N]

Each workload is compiled twice, plainly and under the policy, and the two are run in turn. The
figures are processor time, the least of the rounds, so that a busy machine does not show. Nothing
is jailed here: the jail does not slow code.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Mapping
from typing import Any, Final

from codemode.sandbox.language import build_views, compile_program, make_globals

WORKLOADS: Final[Mapping[str, str]] = {
    "fib": """
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
fib(23)
""",
    "loops": """
def loops():
    total = 0
    for i in range(600):
        for j in range(600):
            total += i * j & 7
    return total
loops()
""",
    "dict counting": """
words = ("the quick brown fox jumps over the lazy dog and the cat " * 2_000).split()
counts = {}
for _ in range(8):
    for word in words:
        counts[word] = counts.get(word, 0) + 1
        counts[word] += 1
""",
    "attributes": """
class Vector:
    def __init__(self, x, y):
        self.x = x
        self.y = y
        self._norm = None

    @property
    def norm(self):
        if self._norm is None:
            self._norm = (self.x * self.x + self.y * self.y) ** 0.5
        return self._norm

    def add(self, other):
        self.x += other.x
        self.y += other.y
        return self

def main():
    total = 0
    step = Vector(1, 2)
    for i in range(40_000):
        v = Vector(i, i + 1)
        v.add(step)
        v.x = v.y
        total += v.norm
    return total

main()
""",
    # Each such store is checked, and at the top level names are slow: the worst case there is.
    "outside stores": """
class Cell:
    def __init__(self, value):
        self.value = value
        self.seen = 0

cells = [Cell(i) for i in range(20_000)]
total = 0
for cell in cells:
    for _ in range(3):
        cell.value = cell.value * 3 % 1001
        cell.seen += 1
    total += cell.value
""",
    "method calls": """
class Account:
    def __init__(self):
        self.balance = 0
        self._log = []

    def deposit(self, amount):
        self.balance += amount
        self._record(amount)

    def _record(self, amount):
        if len(self._log) < 100:
            self._log.append(amount)

    def total(self):
        return self.balance

account = Account()
for i in range(80_000):
    account.deposit(i)
    account.total()
""",
    "inheritance": """
class Base:
    def __init__(self, name):
        self.name = name

class Derived(Base):
    def __init__(self, name, amount):
        super().__init__(name)
        self.amount = amount

def main():
    total = 0
    for i in range(40_000):
        total += Derived("x", i).amount
    return total

main()
""",
    "string building": """
parts = []
for i in range(60_000):
    parts.append(f"{i:05d}:{i * 2!r}".upper())
    parts.append("%s-%d" % ("x", i))
    parts.append("{}/{:>4}".format(i, i % 7))
text = ",".join(parts)
text.split(",")
""",
    "dataclasses": """
from dataclasses import dataclass

@dataclass
class Point:
    x: int
    y: int = 0

points = [Point(i, i + 1) for i in range(60_000)]
total = sum(p.x + p.y for p in points)
""",
    "comprehensions": """
rows = [{"id": i, "score": i % 97} for i in range(40_000)]
best = sorted((row for row in rows if row["score"] > 50), key=lambda row: -row["score"])
groups = {}
for row in best:
    groups.setdefault(row["score"], []).append(row["id"])
totals = {score: sum(ids) for score, ids in groups.items()}
""",
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds: int = parser.parse_args().rounds
    views = build_views()
    print(f"CPython {sys.version.split()[0]}, {rounds} rounds")
    print(f"{'workload':<18}{'plain ms':>10}{'policy ms':>11}{'ratio':>8}")
    for name, source in WORKLOADS.items():
        programs = {
            "plain": compile(source, "program.py", "exec", dont_inherit=True),
            "policy": compile_program(source, foreign_names=views.foreign_names),
        }
        times: dict[str, list[float]] = {kind: [] for kind in programs}
        for number in range(rounds):
            order = list(programs.items())
            for kind, program in order if number % 2 else order[::-1]:
                times[kind].append(_timed(program, views))
        plain, policy = (min(taken) * 1e3 for taken in times.values())
        print(f"{name:<18}{plain:>10.1f}{policy:>11.1f}{policy / plain:>8.2f}")


def _timed(program: Any, views: Any) -> float:
    namespace: dict[str, Any] = (
        {"__name__": "__main__"} if hasattr(program, "co_code") else make_globals(views)
    )
    gc.collect()
    started = time.thread_time()
    if hasattr(program, "co_code"):
        exec(program, namespace)  # the benchmark's own text
    else:
        program.start(namespace)
    return time.thread_time() - started


if __name__ == "__main__":
    main()
