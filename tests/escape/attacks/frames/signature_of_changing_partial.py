# class: frames
# layer: language
# must: look at one function and show its signature, not another's
import inspect, functools, copy
n = []
def own(): pass
class P(functools.partial):
    @property
    def func(self):
        n.append(1)
        return copy.deepcopy if len(n) < 2 else own
for k in range(3):
    n.clear(); n.extend([1] * -k)
    try:
        s = inspect.signature(P(own))
        for p in s.parameters.values():
            if type(p.default) is list: print(WON, p.default)
    except Exception as e: print(type(e), e)
