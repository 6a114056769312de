# class: protocol
# layer: protocol
# must: not be run while it is serialised
# ends: ok
class D(dict):
    def items(self):
        print(WON)
        return []

    def __iter__(self):
        print(WON)
        return iter([])


class L(list):
    def __iter__(self):
        print(WON)
        return iter([])


class S(str):
    def encode(self, *a):
        print(WON)

    def __str__(self):
        print(WON)
        return ""


class I(int):
    def __index__(self):
        print(WON)
        return 1


for value in (D(a=1), L([1]), S("x"), I(1)):
    try:
        tools.echo(v=value)
    except Exception as e:
        print("inert", type(e).__name__)
