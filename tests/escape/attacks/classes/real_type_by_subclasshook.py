# class: classes
# layer: language
# must: give no real type
# ends: exception
import abc
got = []
class A(abc.ABC):
    @classmethod
    def __subclasshook__(cls, sub):
        got.append(sub)
        return False
isinstance(int, A)
T = got[0]
K = T("K", (), {"__getattribute__": lambda s, n: 3})
print(WON, K().foo)
