# class: classes
# layer: language
# must:  make no class past the policy
import inspect

got = []


class Me:
    def __eq__(self, other):
        got.append(other)
        return False

    def __hash__(self):
        return 1

    def __call__(self, a=1):
        pass


for ask in (inspect.signature, inspect.getfullargspec):
    try:
        ask(Me())
    except (TypeError, ValueError, AttributeError) as e:
        print(e)
for one in got:
    try:
        print(WON, one("X", (), {"__del__": lambda self: None}))
    except (AttributeError, TypeError) as e:
        print(e)
