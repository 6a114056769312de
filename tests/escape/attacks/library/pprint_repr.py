# class: library
# layer: language
# must: give nothing of the host
import pprint


class A:
    def __repr__(self):
        return str(self.__class__.__base__.__subclasses__())


pprint.pprint(A())
print(WON)
