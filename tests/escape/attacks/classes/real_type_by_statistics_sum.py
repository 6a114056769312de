# class: classes
# layer: language
# must: give no real type
# ends: exception
import statistics
class A:
    @classmethod
    def as_integer_ratio(cls): return (1, 1)
T = statistics._sum([A])[0]
K = T("K", (), {"__getattribute__": lambda s, n: 3})
print(WON, K().foo)
