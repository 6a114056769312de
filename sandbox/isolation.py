"""What confinement a run had: the levels, and the report that every outcome carries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from codemode.sandbox.values import Json

Level = Literal["A", "B", "B-", "none"]
#: What a caller may ask for at least. "unsafe" is the explicit request to run without a boundary.
Required = Literal["A", "B", "B-", "unsafe"]

ORDER: Final[tuple[Level, ...]] = ("none", "B-", "B", "A")


@dataclass(frozen=True, slots=True, kw_only=True)
class IsolationReport:
    """The layers in force for a run, as proven by the start-up self-test.

    Attributes:
        level: A: namespaces, Landlock, seccomp, rlimits; B: no namespaces; B-: no Landlock either;
            none: not a security boundary.
        landlock_abi: 0 when Landlock is missing.
        missing: Every layer that was tried and refused, with the kernel's reason.
        probes: What each probe guest met: `("open", "EPERM")`, `("fork", "killed")`.
    """

    level: Level
    userns: bool = False
    pidns: bool = False
    netns: bool = False
    mount: bool = False
    landlock_abi: int = 0
    seccomp: bool = False
    cgroup: bool = False
    missing: tuple[str, ...] = ()
    probes: tuple[tuple[str, str], ...] = field(default=())

    def satisfies(self, required: Required) -> bool:
        """Whether this is at least the level that the caller asked for."""
        wanted: Level = "none" if required == "unsafe" else required
        return ORDER.index(self.level) >= ORDER.index(wanted)

    def as_json(self) -> dict[str, Json]:
        """The report as plain JSON, for logs and `codemode doctor --json`."""
        return {
            "level": self.level,
            "userns": self.userns,
            "pidns": self.pidns,
            "netns": self.netns,
            "mount": self.mount,
            "landlock_abi": self.landlock_abi,
            "seccomp": self.seccomp,
            "cgroup": self.cgroup,
            "missing": list(self.missing),
            "probes": [[attack, met] for attack, met in self.probes],
        }
