# class: classes
# layer: language
# must:  make no class past the policy
import abc
import enum

got = []


class Own:
    @staticmethod
    def __getstate__():
        return None

    @classmethod
    def go(cls, protocol):
        return super().__reduce_ex__(cls, protocol)


class Abstract(abc.ABC):
    @staticmethod
    def __getstate__():
        return None


class Member(enum.Enum):
    X = 1


def take(found):
    for one in found:
        got.append(one)
        if isinstance(one, tuple):
            take(one)


for kind in (Own, Abstract, Member):
    for make in (
        lambda: kind.__reduce_ex__(kind, 0),
        lambda: kind.__reduce_ex__(kind, 2),
        lambda: kind.__reduce__(kind),
        lambda: kind.go(0),
        lambda: kind.go(2),
    ):
        try:
            take(make())
        except Exception as e:
            print(e)
got = [one for one in got if one not in (Own, Abstract, Member, object)]

for one in got:
    try:
        print(WON, one("X", (), {"__del__": lambda self: None}))
    except (AttributeError, TypeError) as e:
        print(e)
