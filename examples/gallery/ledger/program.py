"""A failure half-way: what the model reads names the calls that may have changed something."""

for order_id in [1, 2, 3, 4]:
    print(tools.ship(order_id=order_id))
