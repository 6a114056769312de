# class: classes
# layer: language
# must:  make no class past the policy
import collections

got = []


class Own:
    maps = [0, int]


for kind in (Own, collections.ChainMap):
    try:
        got.append(collections.ChainMap.parents.fget(kind))
    except Exception as e:
        print(e)

for one in got:
    try:
        print(WON, one("X", (), {"__del__": lambda self: None}))
    except (AttributeError, TypeError) as e:
        print(e)
