"""What a run costs before its program does anything: start, warm latency, its steps, throughput, memory.

    python -m benchmarks.cold_and_warm [--runs N] [--json]

Everything in one run, beside a bare fork and exit of the same image and a plain `python -c`, so that
ratios hold on a noisy machine. Processor time and page faults say more than wall time there. The
steps are measured in forks of the same image without the jail, one mark after another.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PROGRAM = "print(1 + 1)"
WORKERS = 4
#: Lets the fork server replace and warm up the spare that was used.
PAUSE_S = 0.02
SANDBOX = Path(__file__).resolve().parent.parent / "sandbox"


def used() -> tuple[float, float, float]:
    """Wall and processor time of this process in microseconds, and its page faults."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return time.perf_counter() * 1e6, time.process_time() * 1e6, usage.ru_minflt


def medians(rows: list[list[float]]) -> list[float]:
    """The median of each column."""
    return [round(statistics.median(column), 1) for column in zip(*rows, strict=True)]


# ---- in the image: the same interpreter, flags and modules as a fork server


def inside(rounds: int) -> None:
    """Prepare the image as a fork server does, and print what forks of it cost."""
    order = json.loads(sys.stdin.readline())
    sys.path[:] = [path for path in sys.path if "site-packages" not in path]
    sys.path.append(str(SANDBOX / "forkserver"))
    report: dict[str, Any] = {"image_dirty_kb": -private_kb()}
    import boot

    sys.meta_path.append(boot.PackageFinder(order["packages"]))
    boot.bare_package("codemode", [])
    boot.bare_package("codemode.sandbox", [str(SANDBOX)])
    from codemode.sandbox.guest import image, sealed

    print_to = os.dup(1)
    # The image gives `os` and `open` of everybody else to its scratch tree.
    fork, wait4, leave, write = os.fork, os.wait4, os._exit, os.write
    pipe, read, close, duplicate = os.pipe, os.read, os.close, os.dup2
    begun = time.perf_counter()
    image.prepare({})
    report["prepare_ms"] = round((time.perf_counter() - begun) * 1e3, 1)
    report["modules"] = len(sys.modules)
    report["image_dirty_kb"] += private_kb()
    image.settle()
    image.mature()
    sealed.unseal()  # `follow` puts marks into classes

    def cost_of(act: Callable[[], None]) -> list[float]:
        begun = time.perf_counter()
        pid = fork()
        if pid == 0:
            act()
            leave(0)
        usage = wait4(pid, 0)[2]
        wall = (time.perf_counter() - begun) * 1e6
        return [wall, (usage.ru_utime + usage.ru_stime) * 1e6, usage.ru_minflt]

    report["fork_exit"] = medians([cost_of(lambda: None) for _ in range(rounds * 2)])
    script = bytes.fromhex(order["script"])

    def one_run(*, is_warm: bool) -> Any:
        ours, theirs = socket.socketpair()
        reading, writing = pipe()
        ours.sendall(script)

        def act() -> None:
            if is_warm:
                image.warm()
            duplicate(theirs.fileno(), 3)
            follow(lambda marks: write(writing, json.dumps(marks).encode()), leave, image)

        cost_of(act)
        told = json.loads(read(reading, 1 << 16))
        close(reading)
        close(writing)
        return told

    for state in ("cold", "warm"):
        told = [one_run(is_warm=state == "warm") for _ in range(rounds)]
        columns = [medians(list(rows)) for rows in zip(*(rows for _, rows in told), strict=True)]
        report[f"steps_{state}"] = dict(zip(told[0][0], columns, strict=True))
    write(print_to, json.dumps(report).encode())
    leave(0)


def follow(tell: Callable[[Any], object], leave: Callable[[int], Any], image: Any) -> None:
    """Run the program that waits on descriptor 3, and tell what passed between its marks."""
    from codemode.sandbox.guest import program
    from codemode.sandbox.guest.port import Port

    marks: list[tuple[str, tuple[float, float, float]]] = []

    def mark(name: str) -> None:
        marks.append((name, used()))

    def marked(owner: Any, method: str, name: str) -> None:
        real = getattr(owner, method)

        def call(*args: Any, **kwargs: Any) -> Any:
            made = real(*args, **kwargs)
            mark(name)
            return made

        setattr(owner, method, call)

    def end(*_: Any) -> None:
        mark("report the end")
        rows = [
            [b - a for a, b in zip(before[1], after[1], strict=True)]
            for before, after in itertools.pairwise(marks)
        ]
        tell(([name for name, _ in marks[1:]], rows))
        leave(0)

    for owner, method, name in (
        (Port, "receive_run", "receive"),
        (program.Runner, "_compile", "parse, check, compile"),
        (program.Runner, "_install_scratch", "scratch tree"),
        (program.Runner, "_namespace", "namespace"),
    ):
        marked(owner, method, name)
    Port._leave = end  # type: ignore[assignment,method-assign]
    mark("begin")
    image.serve(3)


def private_kb() -> int:
    """Memory that this process shares with no file."""
    with open("/proc/self/smaps_rollup") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Private_Dirty"))


def measure_image(rounds: int) -> dict[str, Any]:
    """Run `inside` in a fresh interpreter."""
    from codemode.sandbox.bridge.host import HostBridge
    from codemode.sandbox.driving import make_run
    from codemode.sandbox.forkserver.launch import PACKAGES, make_order
    from codemode.sandbox.limits import Limits
    from codemode.sandbox.program import Program

    limits = Limits()
    order = json.loads(
        make_order(image="", config={}, packages=PACKAGES, required="B", ceilings=limits)
    )
    run = make_run(Program(source=PROGRAM), {}, limits, policy="restricted")
    order["script"] = b"".join(HostBridge(limits).send(run)).hex()
    done = subprocess.run(
        [sys.executable, "-P", "-s", "-S", "-B", __file__, "--inside", "--runs", str(rounds)],
        input=json.dumps(order) + "\n",
        env={"PYTHONHASHSEED": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return dict(json.loads(done.stdout))


# ---- the real thing: a sandbox, jailed guests


def descendants(pid: int) -> list[int]:
    """Every process below `pid`."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += [int(child), *descendants(int(child))]
    return found


def pss_kb(pid: int) -> int:
    """Proportional set size of a process."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))


async def measure_runs(runs: int) -> dict[str, Any]:
    """Cold start, idle latency and throughput of a sandbox."""
    import anyio

    from codemode import Sandbox

    report: dict[str, Any] = {}
    begun = time.perf_counter()
    async with Sandbox() as sandbox:
        await sandbox.run(PROGRAM)
        report["cold_ms"] = round((time.perf_counter() - begun) * 1e3, 1)
        walls, guests = [], []
        for _ in range(runs):
            await anyio.sleep(PAUSE_S)
            begun = time.perf_counter()
            outcome = await sandbox.run(PROGRAM)
            walls.append((time.perf_counter() - begun) * 1e6)
            guests.append(outcome.usage.cpu_s * 1e6)
            if outcome.stdout != "2\n":
                raise RuntimeError(f"the run failed: {outcome.failure}")
        walls.sort()
        report["warm_p50_us"], report["warm_p95_us"] = walls[runs // 2], walls[runs * 19 // 20]
        report["guest_cpu_us"] = statistics.median(guests)
        await anyio.sleep(10 * PAUSE_S)
        report["pss_kb"] = sorted(pss_kb(pid) for pid in descendants(os.getpid()))

        async def worker() -> None:
            for _ in range(runs):
                await sandbox.run(PROGRAM)

        begun, host = time.perf_counter(), time.process_time()
        async with anyio.create_task_group() as tasks:
            for _ in range(WORKERS):
                tasks.start_soon(worker)
        count = WORKERS * runs
        report["runs_per_s"] = round(count / (time.perf_counter() - begun), 1)
        report["host_cpu_us"] = round((time.process_time() - host) / count * 1e6, 1)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    report["fork_server_and_guests_cpu_us"] = round(
        (usage.ru_utime + usage.ru_stime) / (count + runs) * 1e6, 1
    )
    return report


def plain_python() -> list[float]:
    """Wall and processor time of `python -c`, in microseconds, and its page faults."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-c", PROGRAM], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [(time.perf_counter() - begun) * 1e6, cpu * 1e6, after.ru_minflt - before.ru_minflt]


def show(report: dict[str, Any]) -> None:
    """Print the tables."""
    print(f"{'':34}{'wall us':>10}{'CPU us':>10}{'faults':>8}")
    rows = {
        "python -c": report["python_c"],
        "fork and exit of the image": report["image"]["fork_exit"],
    }
    for state in ("cold", "warm"):
        for name, row in report["image"][f"steps_{state}"].items():
            rows[f"{state} guest: {name}"] = row
    for name, (wall, cpu, faults) in rows.items():
        print(f"{name:34}{wall:>10.0f}{cpu:>10.0f}{faults:>8.0f}")
    fork_cpu_us = report["image"]["fork_exit"][1]
    bare = 2e6 / fork_cpu_us
    runs = report["runs"]
    print(
        f"\nimage: {report['image']['modules']} modules, {report['image']['image_dirty_kb'] / 1024:.1f} MB,"
        f" prepared in {report['image']['prepare_ms']:.0f} ms"
    )
    print(f"cold start to the first result: {runs['cold_ms']:.0f} ms")
    print(
        f"warm run: p50 {runs['warm_p50_us']:.0f} us, p95 {runs['warm_p95_us']:.0f} us, guest CPU {runs['guest_cpu_us']:.0f} us"
    )
    print(
        f"throughput: {runs['runs_per_s']:.0f} runs/s, {runs['runs_per_s'] / bare:.0%} of two cores forking bare;"
        f" CPU a run: host {runs['host_cpu_us']:.0f} us, fork server and guests {runs['fork_server_and_guests_cpu_us']:.0f} us"
    )
    print(f"proportional set sizes of the fork server and its spares: {runs['pss_kb']} kB")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        inside(options.runs)
    import anyio

    report = {
        "python_c": medians([plain_python() for _ in range(9)]),
        "image": measure_image(max(options.runs // 4, 5)),
        "runs": anyio.run(measure_runs, options.runs),
        "load": os.getloadavg()[0],
    }
    if options.json:
        json.dump(report, sys.stdout, indent=1)
    else:
        show(report)


if __name__ == "__main__":
    main()
