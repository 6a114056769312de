# class: attributes
# layer: language
# must:  take no method out of a class for any self
import reprlib


class K:
    def repr_type(self, level):
        return self.__dict__


class Heir(K):
    pass


print(WON, reprlib.Repr.repr1(super(Heir, Heir), int, 1))
