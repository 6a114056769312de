# class: library
# layer: language
# must:  show no memo of others
import copy
import functools
import graphlib
import random
import types

got = []


def told(memo):
    got.extend(memo.values())
    return 3


for make in (lambda: functools.partial(int), types.SimpleNamespace):
    one = make()
    try:
        one.__deepcopy__ = told
        sorter = graphlib.TopologicalSorter()
        sorter.add("b", "a")
        sorter.add(one, "b")
        copy.deepcopy(sorter)
    except Exception as e:
        print(e)
memo = {}
try:
    copy.deepcopy(random.randint, memo)
    got.extend(memo.values())
except Exception as e:
    print(e)
for one in got:
    for item in one if isinstance(one, list) else [one]:
        if isinstance(item, random.Random) or "NodeInfo" in type(item).__name__:
            print(WON, item)
