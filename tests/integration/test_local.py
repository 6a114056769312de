"""`LocalSandbox` under guests that misbehave: how they end, what is known of it, what is left."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from sandbox_runner import Run, running

from codemode.sandbox import Limits, Program, RunControl, Sandbox
from codemode.sandbox.program import Failure, Outcome

PREAMBLE = (Path(__file__).parents[1] / "escape" / "raw_preamble.py").read_text()


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Programs without a language policy, so that the jail and the bridge are on their own."""
    with running(policy="none") as run:
        yield run


def raw(body: str) -> str:
    return PREAMBLE + "\nprint('before')\n" + body


@pytest.mark.spec("SANDBOX 4.1", "SANDBOX 4.2", "CODE_MODE 2.4")
@pytest.mark.parametrize(
    "body",
    [
        "write(struct.pack('>I', 0xFFFFFFFF)); wait()",
        "write(struct.pack('>I', 0)); wait()",
        "write(b'GET / HTTP/1.1\\r\\n\\r\\n'); wait()",
        "write(frame(b'\\xc1')); wait()",
        "write(frame(pack([1]))); wait()",
        "send(t='nothing'); wait()",
        "send(t='run'); wait()",
        "send(t='tick', n=1); wait()",
        "send(t='out', stream='stdout'); wait()",
        "send(t='out', stream='stdout', text='x', more=1); wait()",
        "send(t='out', stream='log', text='x'); wait()",
        "send(t='out', stream='stdout', text=b'x'); wait()",
        "send(t='call', id=2, name='f', line=None, arguments={}); wait()",
        "send(t='call', id=True, name='f', line=None, arguments={}); wait()",
        "send(t='call', id=1, name='f', line=None, arguments=[]); wait()",
        "send(t='call', id=1, name='f', line=None, arguments={'x': float('nan')}); wait()",
        "send(t='call', id=1, name='f', line=None, arguments={'x': 2**64 - 1}); wait()",
        "send(t='call', id=1, name='f', line=None, arguments={1: 2}); wait()",
        "send(t='call', id=1, name='f', line=None, arguments={}, parent='x'); wait()",
        "send(t='call', id=1, name='f', line=None, arguments={'x': msgpack.Timestamp(0)}); wait()",
        "send(t='call', id=1, name='f', line=None, arguments={'x': msgpack.ExtType(5, b'')}); wait()",
        "write(frame(b'\\x82\\xa1t\\xa6notice\\xa1t\\xa6notice')); wait()",
        "send(t='cancel', id=1); wait()",
        "send(t='artifact', path='a.txt', data=b'x'); wait()",
        "send(t='out', stream='stdout', text=''); wait()",
        "send(t='fail', kind='limit', message='', traceback='', line=None, limit='\\x1b[2J', exception=None); wait()",
        "send(t='timer', n=1, seconds=-1.0); wait()",
        "send(t='timer', n=1, seconds=float('inf')); wait()",
        "send(t='end', has_value=1, value=None); wait()",
        "send(t='fail', kind='abort', message='', traceback='', line=None, limit=None, exception=None); wait()",
        "send(t='chunk', of='call', size=10, data=b'x'); send(t='chunk', of='call', size=10, data=b'x'); wait()",
        "send(t='chunk', of='call', size=1 << 40, data=b'x'); wait()",
        "send(t='chunk', of='run', size=10, data=b'x'); wait()",
        "send(t='chunk', of='call', size=10, data=b''); wait()",
        "send(t='chunk', of='call', size=10, data=b'x'); send(t='notice', text=''); wait()",
        "send(t='chunk', of='call', size=2, data=b'xxxx'); wait()",
        "send(t='chunk', of='chunk', size=2, data=b'xx'); wait()",
        "v = 1\nfor _ in range(505): v = [v]\nsend(t='call', id=1, name='f', line=None, arguments={'x': v}); wait()",
    ],
)
def test_a_guest_that_breaks_the_protocol_is_killed(run: Run, body: str) -> None:
    async def f() -> None:
        raise AssertionError("nothing may be called")

    outcome = run(raw(body), bindings={"f": f}, limits=Limits(wall_s=10))
    assert outcome.failure is not None
    assert outcome.failure.kind == "violation"
    assert outcome.stdout == "before\n"


@pytest.mark.spec("SANDBOX 3.4")
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("_libc.getppid()", "violation"),
        ("_libc.fork()", "violation"),
        ("_libc.abort()", "crash"),
        ("_libc.memset(8, 0, 1)", "crash"),
        ("_libc._exit(0)", "crash"),
    ],
)
def test_the_cause_of_a_death_is_told_apart(run: Run, body: str, kind: str) -> None:
    outcome = run(raw(body))
    assert outcome.failure is not None
    assert outcome.failure.kind == kind
    assert outcome.stdout == "before\n"


@pytest.mark.spec("SANDBOX 3.1", "SANDBOX 3.4")
def test_processor_time_is_limited_by_the_kernel(run: Run) -> None:
    outcome = run("print('a')\nwhile True: pass", limits=Limits(cpu_s=1, wall_s=60))
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.limit) == ("cpu_limit", "cpu_s")
    assert outcome.stdout == "a\n"
    assert outcome.usage.cpu_s > 0.5


@pytest.mark.spec("SANDBOX 4.4")
@pytest.mark.parametrize(
    "body",
    [
        "i = 0\nwhile True:\n    i += 1\n    send(t='call', id=i, name='look', line=None, arguments={})",
        "i = 0\nwhile True:\n    i += 1\n    send(t='call', id=i, name='no', line=None, arguments={})",
        "i = 0\nwhile True:\n    i += 1\n    send(t='timer', n=i, seconds=0.0)",
        "while True:\n    send(t='out', stream='stdout', text='')",
        "while True:\n    send(t='out', stream='stdout', text='x' * 1000)",
        "while True:\n    send(t='notice', text='x' * 1000)",
        "i = 0\nwhile True:\n    i += 1\n    send(t='timer', n=i, seconds=1e8)",
    ],
)
def test_floods_leave_the_hosts_memory_flat(run: Run, body: str) -> None:
    from codemode.sandbox import Binding, Call
    from codemode.sandbox.values import Json

    async def look(call: Call) -> Json:
        return "x" * 10_000

    lookup = Binding(handler=look, is_lookup=True)
    limits = Limits(wall_s=1.5, calls=100_000)
    tracemalloc.start()
    try:
        outcome = run(raw(body), bindings={"look": lookup}, limits=limits)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert outcome.failure is not None
    assert outcome.failure.kind in ("violation", "timeout", "output_limit", "call_limit")
    assert peak < 40 << 20


@pytest.mark.spec("SANDBOX 4.4")
def test_a_guest_that_does_not_read_its_answers_is_killed(run: Run) -> None:
    async def big(**_: object) -> str:
        return "x" * 1_000_000

    body = "for i in range(1, 1000):\n    send(t='call', id=i, name='big', line=None, arguments={})\nwait()"
    body = body.replace("wait()", "while True: pass")
    outcome = run(raw(body), bindings={"big": big}, limits=Limits(wall_s=1.5, outstanding=8))
    assert outcome.failure is not None
    assert outcome.failure.limit in ("wall_s", "total_bytes")


@pytest.mark.spec("SANDBOX 4.4")
def test_more_unread_answers_than_calls_can_have_are_a_violation(run: Run) -> None:
    body = "i = 0\nwhile True:\n    i += 1\n    send(t='timer', n=i, seconds=0.0)"
    outcome = run(raw(body), limits=Limits(wall_s=20))
    assert outcome.failure is not None
    assert outcome.failure.kind == "violation"


@pytest.mark.spec("SANDBOX 4.3")
def test_a_frame_cannot_reach_a_binding_of_another_run(run: Run) -> None:
    async def secret() -> str:
        raise AssertionError("not granted to this run")

    assert run("return 1", bindings={"secret": secret}).failure is None
    body = "send(t='call', id=1, name='secret', line=None, arguments={})\nm = receive()\nprint(m['code'])"
    outcome = run(raw(body))
    assert outcome.stdout == "before\nUNKNOWN_TOOL\n"


def test_a_guest_that_closes_its_end_is_a_crash(run: Run) -> None:
    outcome = run(raw("_libc.shutdown(3, 2)"))
    assert outcome.failure is not None
    assert outcome.failure.kind in ("crash", "violation")


def test_the_report_of_usage_is_filled(run: Run) -> None:
    async def f(x: str) -> str:
        return x

    outcome = run("f(x='a' * 1000)\nsum(range(2_000_000))\nreturn 'b' * 1000", bindings={"f": f})
    usage = outcome.usage
    assert usage.calls == 1
    assert usage.bytes_in > 2_000
    assert usage.bytes_out > 1_000
    assert usage.wall_s > 0
    assert usage.cpu_s > 0


@pytest.mark.spec("SANDBOX 5.5")
def test_input_files_are_there_and_artifacts_come_back(run: Run) -> None:
    source = "open('out.bin', 'wb').write(open('in.bin', 'rb').read() * 2)\nopen('skip.log', 'w').write('x')"
    outcome = run(source, files={"in.bin": bytes(range(256))}, artifacts=["*.bin"])
    assert outcome.failure is None
    assert outcome.artifacts["out.bin"] == bytes(range(256)) * 2
    assert "skip.log" not in outcome.artifacts


@pytest.mark.anyio
async def test_runs_at_once_do_not_meet(anyio_backend: str) -> None:
    outcomes: dict[int, object] = {}

    async def who(n: int) -> int:
        await anyio.sleep(0.01)
        return n

    async with Sandbox(max_concurrent=4) as sandbox, anyio.create_task_group() as tasks:

        async def one(n: int) -> None:
            outcome = await sandbox.run(f"print({n})\nreturn who(n={n})", bindings={"who": who})
            outcomes[n] = (outcome.stdout, outcome.result)

        for n in range(12):
            tasks.start_soon(one, n)
    assert outcomes == {n: (f"{n}\n", n) for n in range(12)}


@pytest.mark.anyio
async def test_a_run_that_was_aborted_before_it_began_runs_nothing(anyio_backend: str) -> None:
    async with Sandbox() as sandbox:
        control = RunControl()
        control.abort("not wanted")
        outcome = await sandbox.run(Program(source="print('x')"), control=control)
        assert outcome.failure is not None
        assert (outcome.failure.kind, outcome.failure.message) == ("abort", "not wanted")
        assert outcome.stdout == ""


@pytest.mark.anyio
async def test_a_limit_above_the_ceiling_is_misuse(anyio_backend: str) -> None:
    async with Sandbox(limits=Limits(cpu_s=1)) as sandbox:
        with pytest.raises(ValueError, match="ceiling"):
            await sandbox.run("1", limits=Limits(cpu_s=2))


@pytest.mark.spec("SANDBOX 5.5")
@pytest.mark.parametrize("path", ["../owned", "/etc/../owned", "a\\x00b"])
def test_a_file_with_an_impossible_path_is_a_violation(run: Run, path: str) -> None:
    source = raw(f"send(t='artifact', path='{path}', data=b'x'); wait()")
    outcome = run(Program(source=source, artifacts=("*.txt",)))
    assert outcome.failure is not None
    assert outcome.failure.kind == "violation"
    assert outcome.artifacts == {}


@pytest.mark.spec("SANDBOX 5.5")
def test_files_of_a_guest_that_never_says_its_end_are_dropped(run: Run) -> None:
    source = raw("send(t='artifact', path='a.txt', data=b'x'); _libc._exit(0)")
    outcome = run(Program(source=source, artifacts=("*.txt",)))
    assert outcome.failure is not None
    assert outcome.artifacts == {}


def test_a_glob_that_leaves_the_scratch_tree_is_misuse(run: Run) -> None:
    with pytest.raises(ValueError, match="artifacts"):
        run(Program(source="1", artifacts=("../*",)))


@pytest.mark.spec("SANDBOX 4.3")
def test_an_end_without_a_value_carries_none(run: Run) -> None:
    outcome = run(raw("send(t='end', has_value=False, value='hidden'); wait()"))
    assert outcome.failure is None
    assert (outcome.has_result, outcome.result) == (False, None)


@pytest.mark.spec("SANDBOX 7.3")
def test_what_a_guest_says_of_its_failure_is_bounded_and_clean(run: Run) -> None:
    source = raw(
        "send(t='fail', kind='exception', message='m' * 900_000, traceback='', line=None,"
        " limit=None, exception='\\x1b' + 'E' * 9_000); wait()"
    )
    failure = run(source).failure
    assert failure is not None
    assert len(failure.message) < 100_000
    assert failure.exception is not None
    assert "\x1b" not in failure.exception
    assert len(failure.exception) < 1_000


@pytest.mark.spec("SANDBOX 3.1")
@pytest.mark.parametrize("limit", [1_000, 10_000])
def test_thousands_of_calls_at_once_meet_a_limit_and_not_a_violation(run: Run, limit: int) -> None:
    async def echo(v: int) -> int:
        return v

    source = "import asyncio\nreturn await asyncio.gather(*(tools.echo(v=i) for i in range(3000)), return_exceptions=True)"
    outcome = run(source, bindings={"tools.echo": echo}, limits=Limits(calls=limit))
    if limit < 3_000:
        assert outcome.failure is not None
        assert outcome.failure.kind == "call_limit"
    else:
        assert outcome.failure is None or outcome.failure.kind == "invalid_output"


@pytest.mark.spec("SANDBOX 3.1")
@pytest.mark.anyio
async def test_a_call_that_will_not_end_is_left_behind(anyio_backend: str) -> None:
    freed = anyio.Event()
    done: list[str] = []

    async def stubborn() -> None:
        with anyio.CancelScope(shield=True):
            await freed.wait()
            done.append("late")

    with anyio.fail_after(60):
        async with Sandbox(spares=1) as sandbox:
            source = (
                "import asyncio\nasyncio.create_task(stubborn())\nawait asyncio.sleep(0)\nreturn 1"
            )
            outcome = await sandbox.run(
                source, bindings={"stubborn": stubborn}, limits=Limits(drain_s=0.05)
            )
            assert outcome.result == 1
            assert done == []
            freed.set()
    assert done == ["late"]


@pytest.mark.spec("SANDBOX 1.5")
@pytest.mark.parametrize("source", ["1", "x = 'a' * 20_000_000\nraise ValueError"])
def test_the_peak_of_memory_is_known_of_every_run(run: Run, source: str) -> None:
    assert run(source).usage.peak_memory_bytes > 1 << 20


@pytest.mark.anyio
@pytest.mark.spec("CODE_MODE 2.4")
async def test_a_run_that_waits_for_its_turn_can_be_given_up() -> None:
    """Two programs and room for one: the second ends at once, and the first is not disturbed."""
    control = RunControl()
    has_begun, may_end = anyio.Event(), anyio.Event()

    async def wait() -> None:
        has_begun.set()
        await may_end.wait()

    outcomes: list[Outcome] = []
    async with Sandbox(max_concurrent=1) as sandbox:

        async def first() -> None:
            outcomes.append(await sandbox.run("wait()", bindings={"wait": wait}))

        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(first)
                await has_begun.wait()

                async def second() -> None:
                    outcomes.append(await sandbox.run("1", control=control))

                tasks.start_soon(second)
                await anyio.wait_all_tasks_blocked()
                control.abort("not wanted any more")
                while not outcomes:
                    await anyio.lowlevel.checkpoint()
                may_end.set()
    given_up, served = outcomes
    assert given_up.failure == Failure(kind="abort", message="not wanted any more")
    assert served.failure is None
