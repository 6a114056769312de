"""A caught denial: the policy's reason is in the error, and the program goes on."""

done, refused = [], []
for order_id, cents in [(1, 700), (5, 3500), (2, 1400)]:
    try:
        done.append(tools.refund(order_id=order_id, cents=cents))
    except ToolCallError as error:
        refused.append(f"order {order_id}: {error.code}: {error.message}")

print("\n".join(done))
print("for a person:", *refused, sep="\n  ")
