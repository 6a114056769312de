# class: attributes
# layer: language
# must:  give no private method of the library's
import enum


class E(enum.Enum):
    A = 1


class Spy:
    def __radd__(self, function):
        print(WON, function)
        return 1


try:
    E._get_mixins_ += Spy()
except AttributeError as e:
    print(e)
E._find_new_ += Spy()
