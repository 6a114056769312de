# class: classes
# layer: language
# must:  make no class past the policy
import functools

got = []


class Told:
    def dispatch(self, kind):
        got.append(kind)
        return lambda *_: None


class Own:
    pass


def take(self, one):
    pass


for make in (
    lambda: type("Heir", (functools.singledispatchmethod,), {})(take),
    lambda: functools.singledispatchmethod(take),
):
    try:

        class Holder:
            m = make()

        vars(Holder)["m"].dispatcher = Told()
        Holder().m(Own)
    except Exception as e:
        print(e)

for one in got:
    try:
        print(WON, one("X", (), {"__del__": lambda self: None}))
    except (AttributeError, TypeError) as e:
        print(e)
