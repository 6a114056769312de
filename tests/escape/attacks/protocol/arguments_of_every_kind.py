# class: protocol
# layer: protocol
# must: be a clear error or have no effect
# ends: ok
import decimal, datetime


class A:
    pass


for value in (
    A(),
    A,
    print,
    1j,
    b"x",
    {1: 2},
    {1, 2},
    float("nan"),
    float("inf"),
    1 << 64,
    datetime.date(2020, 1, 1),
    decimal.Decimal(1),
    (i for i in [1]),
    "\ud800",
    range(3),
    ...,
):
    try:
        tools.echo(v=value)
    except Exception as e:
        print("inert", type(e).__name__)
    else:
        print("accepted", type(value).__name__)
