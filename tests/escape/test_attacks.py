"""Every attack of the folder `attacks`: contained, the host alive, the next run fine, nothing left.

An attack is one file. Its header says what it is:

    # class: the folder, a kind of attack
    # layer: language, protocol and resource run under the language policy; `os` runs plain Python in
    #        the jail, `raw` speaks to the bridge directly, `resource` runs under both
    # must:  what a sandbox does about it
    # ends:  the failure kinds that are right ("ok": it may also end well); all are when it is missing
    # limits: of the run, beside the small ones below
    # clean: the text that comes back holds no control characters
    # machine: the only one that the attack is about; all are when it is missing

Attacks of the layer `os` name system calls. A call that the machine at hand lacks is skipped: there is
nothing to attack.

The name `WON` holds the marker that an attack prints when it has succeeded; the marker's text stands
in no attack, so that a traceback with a source line is not taken for an escape.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import anyio
import call_numbers
import processes
import pytest

from codemode.sandbox import Limits, Outcome, Sandbox
from codemode.sandbox.program import Policy

HERE: Final = Path(__file__).parent
MARKER: Final = "ESCAPED"
CANARY: Final = "CANARY-value-of-the-host"
LIMITS: Final[dict[str, Any]] = {"wall_s": 8.0, "cpu_s": 4, "drain_s": 0.1}
MACHINE: Final = platform.machine()
PREAMBLES: Final = {"os": "os_preamble.py", "raw": "raw_preamble.py"}
POLICIES: Final[dict[str, tuple[Policy, ...]]] = {
    "language": ("restricted",),
    "protocol": ("restricted",),
    "resource": ("restricted", "none"),
    "os": ("none",),
    "raw": ("none",),
}
#: Both event loops see attacks, without running each attack twice.
BACKENDS: Final[dict[Policy, str]] = {"restricted": "asyncio", "none": "trio"}
AT_ONCE: Final = 4
#: Guests of one sandbox that may be alive when its runs are over: spares, and guests not yet reaped.
MOST_GUESTS: Final = 12
MOST_CHARS: Final = 4_000_000
_NAMED_CALL: Final = re.compile(r'\b(?:call|probe)\("(\w+)"')
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True)
class Attack:
    """One file, under one policy."""

    name: str
    layer: str
    policy: Policy
    ends: frozenset[str]
    limits: Limits
    is_clean: bool
    machine: str
    calls: frozenset[str]
    source: str

    @property
    def why_not_here(self) -> str:
        """Why this machine cannot be attacked in this way; "" when it can."""
        if self.machine not in ("", MACHINE):
            return f"an attack on {self.machine}"
        lacking = self.calls - call_numbers.NUMBERS[MACHINE].keys()
        return f"{MACHINE} has no {', '.join(sorted(lacking))}" if lacking else ""


@dataclass(frozen=True)
class Met:
    """What became of an attack, and of a plain program after it."""

    outcome: Outcome
    after: Outcome
    witnessed: int


@cache
def preamble(layer: str) -> str:
    name = PREAMBLES.get(layer)
    if name is None:
        return f'WON = "{MARKER[:3]}" + "{MARKER[3:]}"\n'
    facts = ""
    if layer == "os":
        facts = f"MACHINE = {MACHINE!r}\nNUMBERS |= {dict(call_numbers.NUMBERS[MACHINE])}\n"
    return (HERE / name).read_text() + facts


def load(path: Path) -> Iterator[Attack]:
    text = path.read_text(encoding="utf-8")
    head = dict(re.findall(r"^# (\w+): (.*)$", text, re.MULTILINE))
    given = [pair.split("=") for pair in head.get("limits", "").split()]
    numbers = {key: type(getattr(Limits(), key))(value) for key, value in given}
    for policy in POLICIES[head["layer"]]:
        yield Attack(
            name=f"{path.parent.name}/{path.stem}" + ("" if policy == "restricted" else ":none"),
            layer=head["layer"],
            policy=policy,
            ends=frozenset(head.get("ends", "").split()),
            limits=Limits(**{**LIMITS, **numbers}),
            is_clean="clean" in head,
            machine=head.get("machine", ""),
            calls=frozenset(_NAMED_CALL.findall(text)),
            source=preamble(head["layer"]) + text,
        )


def load_all() -> dict[str, Attack]:
    found = [attack for path in sorted(HERE.glob("attacks/*/*.py")) for attack in load(path)]
    return {attack.name: attack for attack in found}


ATTACKS: Final = load_all()


async def echo(v: Any = None) -> Any:
    return v


async def fail() -> None:
    raise RuntimeError(f"/srv/host/path.py {CANARY}")


async def meet(sandbox: Sandbox, attack: Attack) -> Met:
    witnessed: list[None] = []

    async def witness() -> None:
        witnessed.append(None)

    bindings = {"tools.echo": echo, "tools.fail": fail, "witness": witness}
    outcome = await sandbox.run(attack.source, bindings=bindings, limits=attack.limits)
    after = await sandbox.run("print(6 * 7)")
    return Met(outcome, after, len(witnessed))


async def meet_all(policy: Policy, attacks: list[Attack]) -> dict[str, Met]:
    """Run the attacks in one sandbox, a few at once, and leave nothing behind."""
    met: dict[str, Met] = {}
    limiter = anyio.CapacityLimiter(AT_ONCE)

    async def one(attack: Attack) -> None:
        async with limiter:
            met[attack.name] = await meet(sandbox, attack)

    before = processes.descriptors()
    async with Sandbox(policy=policy, limits=Limits(**LIMITS)) as sandbox:
        async with anyio.create_task_group() as tasks:
            for attack in attacks:
                tasks.start_soon(one, attack)
        generations = processes.generations(os.getpid())
    # The children of a fork server are guests; a guest has no children. The fork server is itself
    # the child of a process that waits for it where there are pid namespaces.
    assert len(generations) <= 3
    assert all(len(generation) <= MOST_GUESTS for generation in generations)
    assert processes.descendants(os.getpid()) == set()
    assert processes.descriptors() == before
    return met


@dataclass(frozen=True)
class Battle:
    """All attacks that this session runs, and what the host itself printed and logged meanwhile."""

    met: dict[str, Met]
    printed: str


@pytest.fixture(scope="module")
def battle(request: pytest.FixtureRequest) -> Battle:
    asked = (ATTACKS[name] for name in _chosen(request))
    chosen = [attack for attack in asked if not attack.why_not_here]
    printed = io.StringIO()
    handler = logging.StreamHandler(printed)
    logging.getLogger().addHandler(handler)
    os.environ["CODEMODE_CANARY"] = CANARY
    met: dict[str, Met] = {}
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            for policy, backend in BACKENDS.items():
                attacks = [attack for attack in chosen if attack.policy == policy]
                met.update(anyio.run(meet_all, policy, attacks, backend=backend))
    finally:
        del os.environ["CODEMODE_CANARY"]
        logging.getLogger().removeHandler(handler)
    return Battle(met, printed.getvalue())


def _chosen(request: pytest.FixtureRequest) -> Iterator[str]:
    """The attacks among the tests that were asked for."""
    for item in request.session.items:
        spec = getattr(item, "callspec", None)
        if spec is not None and item.path == request.path:
            yield spec.params["attack"]


def said(outcome: Outcome) -> str:
    """Everything of an outcome that anybody reads."""
    failure = outcome.failure
    parts = [
        outcome.stdout,
        outcome.stderr,
        repr(outcome.result),
        *outcome.notices,
        *outcome.artifacts,
    ]
    if failure is not None:
        parts += [failure.message, failure.traceback, str(failure.limit), str(failure.exception)]
    return "\n".join(parts)


@pytest.mark.spec("SANDBOX 2.1", "SANDBOX 3.2", "SANDBOX 4.2", "SANDBOX 4.4", "SANDBOX 6.2")
@pytest.mark.parametrize("attack", ATTACKS)
def test_the_attack_is_contained(attack: str, battle: Battle) -> None:
    it = ATTACKS[attack]
    if reason := it.why_not_here:
        pytest.skip(reason)
    met = battle.met[attack]
    text = said(met.outcome)
    kind = "ok" if met.outcome.failure is None else met.outcome.failure.kind
    assert MARKER not in text, text[:2_000]
    assert CANARY not in text
    assert not it.ends or kind in it.ends, f"{kind}: {text[-1_000:]}"
    assert met.witnessed == 0
    assert not (it.is_clean and _CONTROL.search(text)), ascii(text)
    assert len(text) < MOST_CHARS
    assert met.outcome.artifacts == {}
    if it.policy == "restricted":
        assert "/sandbox/" not in text, text[-1_000:]
    assert met.after.stdout == "42\n", met.after.failure


@pytest.mark.spec("SANDBOX 7.3")
def test_the_host_itself_printed_and_logged_nothing_of_the_attacks(battle: Battle) -> None:
    assert MARKER not in battle.printed
    assert CANARY not in battle.printed
