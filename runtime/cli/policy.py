"""`codemode policy`: what a file of permission rules says of a call, and why. Runs nothing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import anyio
import typer

from codemode.runtime.cli.options import Json, Mcp
from codemode.runtime.cli.output import complain, print_json, printable, refuse
from codemode.runtime.cli.sources import collect
from codemode.runtime.cli.stdio import spared
from codemode.runtime.definition import RUN_CODE, Tool
from codemode.runtime.permission_checks import primary_argument
from codemode.runtime.permission_rules import parse_call
from codemode.runtime.permissions import Explanation, Permissions

app = typer.Typer(
    name="policy",
    help="Permission rules: what they say of a call, and why.",
    no_args_is_help=True,
    add_completion=False,
)


@app.callback()
def policy() -> None:
    """Permission rules: what they say of a call, and why."""


@app.command()
def explain(
    call: Annotated[
        str,
        typer.Argument(
            metavar="CALL",
            help="A tool, with the text of its main argument, 'bash(git push)', or of another:"
            " 'bash(cwd=/tmp)'.",
        ),
    ],
    rules: Annotated[Path, typer.Option(metavar="FILE.toml", help="The permission rules.")],
    tools: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODULE:NAME",
            help="Python tools: their effects and first parameter are then known to the rules.",
        ),
    ] = None,
    mcp: Mcp = None,
    as_json: Json = False,
) -> None:
    """Say what the rules decide for CALL, which rule decides, and every rule that is about it.

    Without --tools and --mcp the effects of the tool are not known, which is said. Exit status 0,
    whatever the verdict; 2 when the rules or the call cannot be read.
    """
    permissions = read_rules(rules)
    name, _ = parse_call(call)
    with spared(is_spared=as_json):
        found = anyio.run(_found, tools or [], mcp or [])
    tool = _named(name, found)
    if found:
        warn_of_rules([permissions], found)
    if tool is not None:
        call = tool.name + call.strip().removeprefix(name)  # rules are about canonical names
    explanation = permissions.explain(call, tool)
    if as_json:
        print_json(
            {
                "call": call,
                "verdict": explanation.verdict,
                "rule": explanation.rule,
                "reason": explanation.reason,
                "matched": list(explanation.matched),
                "notes": list(explanation.notes),
                "effects": None if tool is None else sorted(tool.effects),
                "argument": None if tool is None else primary_argument(tool),
            }
        )
    else:
        typer.echo(_text(explanation))


def read_rules(path: Path) -> Permissions:
    """The rules of a TOML file; what cannot be opened is a usage error.

    Raises:
        RuleError: The file is not such a file, or a rule cannot be read.
    """
    try:
        return Permissions.from_toml(path)
    except (OSError, UnicodeDecodeError) as error:
        refuse(f"{path}: {getattr(error, 'strerror', None) or error}")


def warn_of_rules(policies: Iterable[object], tools: Iterable[Tool]) -> None:
    """Complain of rules that are about no tool, or no argument, that the operator names."""
    for policy in policies:
        if isinstance(policy, Permissions):
            for line in policy.about_nothing(tools):
                complain(f"warning: {printable(line)}")


async def _found(references: list[str], servers: list[str]) -> list[Tool]:
    async with collect(references, servers) as found:
        return found


def _named(name: str, found: list[Tool]) -> Tool | None:
    """The tool of that name or old name; None where the operator names none at all."""
    offered = {name: tool for tool in found for name in (*tool.aliases, tool.name)}
    if offered and name != RUN_CODE and name not in offered:
        refuse(f"no tool is named {name!r}; there are {', '.join(sorted(offered))}")
    return offered.get(name)


def _text(explanation: Explanation) -> str:
    lines = [f"{explanation.verdict}: {printable(explanation.reason)}"]
    if explanation.matched:
        lines += ["rules about this call, in order of precedence:"]
        lines += [f"  {printable(rule)}" for rule in explanation.matched]
    lines += [f"note: {printable(note)}" for note in explanation.notes]
    return "\n".join(lines)
