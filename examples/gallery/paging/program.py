"""Paging: follow the pages, keep what matters, print three lines instead of every order."""

totals = {}
page = 1
while page is not None:
    answer = tools.list_orders(page=page)
    for order in answer.orders:
        totals[order.customer] = totals.get(order.customer, 0) + order.cents
    page = answer["next"]

for customer, cents in sorted(totals.items()):
    print(f"{customer:<6}{cents / 100:>8.2f} EUR")
