# class: classes
# layer: language
# must: never reach a frame
import abc
class A(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other):
        print(WON, other.__mro__)
        return True
isinstance((i for i in [1]), A)
