# class: classes
# layer: language
# must: not make a class unchecked
import typing

found = []


class Own:
    def __eq__(self, other):
        found.append(other)
        return True

    def __hash__(self):
        return 1

    def __call__(self):
        pass


Alias = type(typing.List[int])
typing.Type[int] == Alias(Own(), (int,))
T = found[-1]
print(T, T is type, T("X", (), {"__del__": 1}))
print(WON)
