"""The next program, by a model that has read the ledger: ask what is done, do the rest."""

already = set(tools.shipped())
print("already shipped:", sorted(already))
for order_id in [1, 2, 3, 4]:
    if order_id not in already:
        print(tools.ship(order_id=order_id))
