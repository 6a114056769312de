# class: classes
# layer: language
# must: give no real type
# ends: exception
import collections
T = collections.Counter.copy(int)
print(T)
K = T("K", (), {"__getattribute__": lambda s, n: 3})
print(WON, K().foo)
