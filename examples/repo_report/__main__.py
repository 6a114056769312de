"""The main job on real input: a real MCP server, a real repository, and the log of what happened.

    python -m examples.repo_report [LOG]

Runs program.py as a model's `run_code` over the tools of `mcp-server-git` and two native ones,
prints what the model would read, then shows and verifies the log.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import anyio

from codemode import ToolRuntime
from codemode.runtime.hosts.mcp import McpServer, mcp_tools
from codemode.runtime.result import Result
from examples.repo_report.policies import (
    Meter,
    no_commits,
    note_large_patches,
    this_repository_only,
)
from examples.repo_report.tools import TOOLS

PROGRAM = Path(__file__).with_name("program.py")
SERVER = McpServer(target=f"{sys.executable} -m mcp_server_git --repository .", group="git")


async def report(log: Path) -> Result:
    """Run the program once."""
    meter = Meter()
    async with (
        mcp_tools(SERVER) as git_tools,
        ToolRuntime(
            [*git_tools, *TOOLS],
            mode="code",
            log=log,
            policies=[no_commits],
            guards=[this_repository_only],
            wrappers=[meter.wrap],
            post_policies=[note_large_patches],
            observers=[meter.observe],
        ) as runtime,
    ):
        print(f"isolation: level {runtime.isolation.level}")
        print(f"the model is given {[tool['function']['name'] for tool in runtime.wire_tools()]}")
        print(f"and an SDK of {len(runtime.sdk().bindings)} tools\n")
        result = await runtime.run_code(PROGRAM.read_text(), description="repository report")
        print("--- what the model reads ---")
        print(result.text)
        for context in result.contexts:
            print(f"[{context.source}] {''.join(getattr(b, 'text', '') for b in context.content)}")
        print(f"(the turn {'is concluded' if result.concludes_turn else 'goes on'};")
        print(f" bodies run: {meter.bodies.total()}, outcomes: {dict(meter.outcomes)})\n")
    return result


def main() -> int:
    """Exit status 0 when the program succeeded and its log verifies."""
    log = Path(sys.argv[1] if len(sys.argv) > 1 else "demo.sqlite")
    for leftover in (log, log.with_name(log.name + "-wal"), log.with_name(log.name + "-shm")):
        leftover.unlink(missing_ok=True)
    result = anyio.run(report, log)
    status = int(result.is_error)
    for command in ("show", "verify"):
        print(f"$ codemode audit {command} {log}", flush=True)
        status |= subprocess.run(
            [sys.executable, "-m", "codemode", "audit", command, str(log)], check=False
        ).returncode
        print()
    return status


if __name__ == "__main__":
    sys.exit(main())
