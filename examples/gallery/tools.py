"""The tools of the gallery: a small shop. A `Shop` holds the state: every run starts anew."""

from __future__ import annotations

from typing_extensions import TypedDict

from codemode import tool
from codemode.runtime.definition import Tool
from codemode.runtime.errors import ToolError
from codemode.runtime.execution import Execution, RunContext
from codemode.runtime.policy import Deny

PAGE = 3


class Order(TypedDict):
    """One order."""

    id: int
    customer: str
    cents: int


class Page(TypedDict):
    """One page of orders; `next` is the number of the page after it."""

    orders: list[Order]
    next: int | None


ORDERS: list[Order] = [
    {"id": n, "customer": ["ada", "bob", "eve"][n % 3], "cents": 700 * n} for n in range(1, 9)
]


class Shop:
    """What the tools work on."""

    def __init__(self) -> None:
        self.shipped: list[int] = []
        self.is_carrier_busy = True

    def tools(self) -> list[Tool]:
        """The catalog, from this shop."""

        @tool(effects={"read"})
        async def list_orders(page: int = 1) -> Page:
            """List the orders, a page at a time.

            Args:
                page: The page's number, from 1.
            """
            first = (page - 1) * PAGE
            is_last = first + PAGE >= len(ORDERS)
            return {
                "orders": ORDERS[first : first + PAGE],
                "next": None if is_last else page + 1,
            }

        @tool(effects={"read"})
        async def credit(customer: str) -> int:
            """The credit of a customer, in cents.

            Args:
                customer: The customer's name.
            """
            return {"ada": 10_000, "bob": 0, "eve": 2_500}[customer]

        @tool(effects={"write"})
        async def refund(order_id: int, cents: int) -> str:
            """Refund an order.

            Args:
                order_id: The order.
                cents: How much.
            """
            return f"refunded {cents} cents of order {order_id}"

        @tool(effects={"write"})
        async def ship(order_id: int) -> str:
            """Ship an order.

            Args:
                order_id: The order.
            """
            if order_id == 3 and self.is_carrier_busy:
                self.is_carrier_busy = False
                raise ToolError("the carrier is busy; try again")
            self.shipped.append(order_id)
            return f"shipped {order_id}"

        @tool(effects={"read"})
        async def shipped() -> list[int]:
            """The orders that were shipped."""
            return list(self.shipped)

        @tool(effects={"read", "network"}, concurrency_safe=True)
        async def ask_mirror(mirror: str, run: RunContext) -> str:
            """Ask one of the mirrors for the price list; some never answer.

            Args:
                mirror: Its name.
            """
            if mirror != "oslo":
                await run.signal.wait()
            return f"price list of {mirror}"

        return [list_orders, credit, refund, ship, shipped, ask_mirror]


def small_refunds_only(execution: Execution) -> Deny | None:
    """The shop's rule: programs refund up to 20 EUR."""
    if execution.name == "refund" and isinstance(cents := execution.arguments["cents"], int):
        return Deny("a refund over 2000 cents needs a person") if cents > 2_000 else None
    return None
