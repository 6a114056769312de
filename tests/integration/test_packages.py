"""Opt-in packages: in a fork server of their own, within the same limits."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from codemode.sandbox import Limits, Sandbox

pytest.importorskip("numpy")
pytestmark = pytest.mark.anyio

LIMITS = Limits(memory_bytes=256 << 20, cpu_s=3, wall_s=20)


@asynccontextmanager
async def numeric() -> AsyncGenerator[Sandbox]:
    async with Sandbox(packages=["numpy"], limits=LIMITS, spares=1) as sandbox:
        yield sandbox


async def table() -> list[dict[str, float]]:
    return [{"group": i % 4, "amount": i / 2} for i in range(20_000)]


@pytest.mark.spec("SANDBOX 5.7")
async def test_a_program_computes_with_a_table_that_a_tool_gave() -> None:
    source = (
        "import numpy as np\n"
        "rows = table()\n"
        "group = np.array([row['group'] for row in rows])\n"
        "amount = np.array([row['amount'] for row in rows])\n"
        "amount.shape = (-1,)\n"
        "return {str(g): float(amount[group == g].sum()) for g in np.unique(group)}"
    )
    async with numeric() as sandbox:
        outcome = await sandbox.run(source, bindings={"table": table})
    assert outcome.failure is None
    assert outcome.result == {
        str(group): sum(i / 2 for i in range(group, 20_000, 4)) for group in range(4)
    }


@pytest.mark.spec("SANDBOX 5.7")
async def test_parts_that_the_package_loads_late_are_there() -> None:
    source = (
        "import numpy as np\n"
        "[float(abs(np.fft.fft(np.ones(4))[0])), float(np.polynomial.Polynomial([1, 2])(3)),"
        " np.random.default_rng(1).random(3).shape[0], float(np.linalg.det(np.eye(2)))]"
    )
    async with numeric() as sandbox:
        outcome = await sandbox.run(source)
    assert outcome.failure is None
    assert outcome.result == [4.0, 7.0, 3, 1.0]


@pytest.mark.spec("SANDBOX 5.5", "SANDBOX 5.7")
async def test_arrays_are_kept_in_scratch_files() -> None:
    source = (
        "import numpy as np\na = np.arange(4).reshape(2, 2)\n"
        "np.save('a.npy', a)\nnp.savez('b.npz', a=a)\nnp.savetxt('c.txt', a, fmt='%d')\n"
        "[np.load('a.npy').tolist(), np.load('b.npz')['a'].tolist(), np.loadtxt('c.txt').tolist(),"
        " np.genfromtxt('c.txt')[1, 1].item(), open('c.txt').read()]"
    )
    async with numeric() as sandbox:
        outcome = await sandbox.run(source)
    assert outcome.failure is None
    assert outcome.result == [[[0, 1], [2, 3]]] * 3 + [3.0, "0 1\n2 3\n"]


@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 5.7")
async def test_classes_of_the_program_behave_as_arrays() -> None:
    source = (
        "import numpy as np\nclass Metres(np.ndarray):\n"
        "    def __new__(cls, values, note): out = np.asarray(values).view(cls); out.note = note; return out\n"
        "    def __array_finalize__(self, made): self.note = getattr(made, 'note', None)\n"
        "class Row:\n    def __array__(self, dtype=None, copy=None): return np.array([1, 2])\n"
        "[Metres([1, 2, 3], 'm')[1:].note, (Metres([1], 'm') + 1).tolist(), np.asarray(Row()).tolist()]"
    )
    async with numeric() as sandbox:
        outcome = await sandbox.run(source)
    assert outcome.failure is None
    assert outcome.result == ["m", [2], [1, 2]]


@pytest.mark.spec("SANDBOX 5.7", "SANDBOX 3.2")
async def test_memory_and_processor_time_stay_limited() -> None:
    async with numeric() as sandbox:
        memory = await sandbox.run("import numpy\nnumpy.ones((10_000, 10_000)).sum()")
        endless = "import numpy\nx = numpy.ones((400, 400))\nwhile True: x = x @ x % 7"
        cpu = await sandbox.run(endless, limits=Limits(memory_bytes=256 << 20, cpu_s=1, wall_s=20))
        after = await sandbox.run("import numpy\nint(numpy.arange(4).sum())")
    assert memory.failure is not None
    assert memory.failure.kind == "memory_limit"
    assert cpu.failure is not None
    assert cpu.failure.kind == "cpu_limit"
    assert after.result == 6


@pytest.mark.spec("SANDBOX 5.7")
async def test_a_package_that_was_not_asked_for_is_not_there() -> None:
    async with Sandbox(spares=1) as sandbox:
        outcome = await sandbox.run("import numpy")
    assert outcome.failure is not None
    assert "not enabled in this sandbox" in outcome.failure.message
