"""A small shop: the task needs one look-up for each order, and a total."""

from __future__ import annotations

from typing_extensions import TypedDict

from codemode import tool


class Order(TypedDict):
    """One order as the shop keeps it."""

    id: int
    customer: str
    item: str
    quantity: int
    note: str


_PRICES = {"apple": 40, "pear": 55, "quince": 120}
_ORDERS: list[Order] = [
    {
        "id": number,
        "customer": ("Ada", "Ben", "Cleo")[number % 3],
        "item": ("apple", "pear", "quince")[number % 3],
        "quantity": number + 1,
        "note": "Leave it at the door, please; the bell has been broken since the spring. " * 3,
    }
    for number in range(8)
]


@tool(effects={"read"})
async def list_orders() -> list[Order]:
    """List every order of today."""
    return _ORDERS


@tool(effects={"read"})
async def price_of(item: str) -> int:
    """Price of one item, in cents.

    Args:
        item: name of the item
    """
    return _PRICES[item]


@tool(effects={"write"})
async def send_invoice(customer: str, cents: int) -> str:
    """Send an invoice.

    Args:
        customer: who pays
        cents: how much
    """
    return f"invoiced {customer}: {cents / 100:.2f}"


TOOLS = (list_orders, price_of, send_invoice)
