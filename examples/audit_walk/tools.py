"""A small accounts desk: what its programs can call, and how each call of this example ends.

The tools are real to the engine; the bank behind them is not. Two of the bodies do not stop when
they are asked to, as bodies in the middle of a transfer do not: that is how a call comes to be
`discarded` or `unknown`.
"""

from __future__ import annotations

from typing import Final

import anyio
from typing_extensions import TypedDict

from codemode import tool
from codemode.runtime.definition import Tool
from codemode.runtime.errors import ToolError
from codemode.runtime.execution import RunContext


class Invoice(TypedDict):
    """One invoice that is due."""

    number: str
    vendor: str
    cents: int


_DUE: Final[list[Invoice]] = [
    {"number": "R-101", "vendor": "acme", "cents": 12_000},
    {"number": "R-102", "vendor": "bolt", "cents": 480_000},
    {"number": "R-103", "vendor": "dune", "cents": 9_900},
    {"number": "R-104", "vendor": "gone", "cents": 5_000},
]
_ACCOUNTS: Final = {"acme": "AC-17", "bolt": "BO-42", "dune": "DU-08"}


class Post:
    """The letters on their way, for the recorder to wait for.

    Attributes:
        may_leave: Set when the slow letter may go.
        has_left: Set when it has gone.
    """

    def __init__(self) -> None:
        self.may_leave = anyio.Event()
        self.has_left = anyio.Event()


@tool(group="ledger", effects={"read"})
async def due() -> list[Invoice]:
    """List the invoices that are due."""
    return _DUE


@tool(group="ledger", effects={"read"})
async def account_of(vendor: str) -> str:
    """The account of a vendor.

    Args:
        vendor: The vendor's short name.
    """
    if vendor not in _ACCOUNTS:
        raise ToolError(f"the ledger has no vendor {vendor!r}")
    return _ACCOUNTS[vendor]


@tool(group="bank", effects={"write", "external"})
async def pay(vendor: str, account: str, cents: int, reference: str) -> str:
    """Pay a vendor.

    Args:
        vendor: The vendor's short name.
        account: Their account.
        cents: How much.
        reference: What the statement will say.
    """
    return f"paid {cents / 100:,.2f} to {vendor} ({account}), reference {reference}"


@tool(group="portal", effects={"network"})
async def sign_in(user: str, password: str) -> str:
    """Sign in at the vendors' portal.

    Args:
        user: Who signs in.
        password: Their password.
    """
    return f"{user} is signed in"


@tool(group="mail", effects={"external"}, concurrency_safe=True)
async def notify(to: str, text: str, run: RunContext) -> str:
    """Write to a vendor; a letter that was begun is finished, whoever gives it up.

    Args:
        to: The vendor's short name.
        text: The letter.
    """
    asked_to_end = anyio.Event()
    run.signal.subscribe(asked_to_end.set)
    with anyio.CancelScope(shield=True):
        await asked_to_end.wait()
    return f"notified {to}"


def remind(post: Post) -> Tool:
    """The tool `remind`, whose letter leaves when `post` says so."""

    @tool(group="mail", effects={"external"}, concurrency_safe=True)
    async def remind(to: str, text: str) -> str:
        """Send a reminder by registered letter.

        Args:
            to: The vendor's short name.
            text: The letter.
        """
        with anyio.CancelScope(shield=True):
            await post.may_leave.wait()
        post.has_left.set()
        return f"reminded {to}"

    return remind
