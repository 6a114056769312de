# class: classes
# layer: language
# must: be refused
import abc
class M(abc.ABCMeta):
    def __call__(cls, *a):
        return WON
print(WON, M)
