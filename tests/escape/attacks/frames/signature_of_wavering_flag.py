# class: frames
# layer: language
# must: look at one function and show its signature, not another's
import inspect, copy
class B:
    n = 0
    def __bool__(self):
        self.n += 1
        return self.n < 2
def f(): pass
f.__dict__["__wrapped__"] = copy.deepcopy
for k in range(4):
    b = B(); b.n = -k
    try:
        for p in inspect.signature(f, follow_wrapped=b).parameters.values():
            if type(p.default) is list: print(WON, p.default)
    except Exception as e: print(e)
