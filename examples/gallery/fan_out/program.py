"""Fan-out: the calls are read-only, so the host lets them overlap."""

import asyncio

names = ["ada", "bob", "eve", "mallory"]
credits = await asyncio.gather(
    *(tools.credit(customer=name) for name in names), return_exceptions=True
)
for name, credit in zip(names, credits):
    if isinstance(credit, ToolCallError):
        print(f"{name}: {credit.code}")
    else:
        print(f"{name}: {credit} cents")

{name: credit for name, credit in zip(names, credits) if isinstance(credit, int)}
