# class: frames
# layer: language
# must: give no default of a library function to an heir of Signature
import inspect, copy
got = []
class S(inspect.Signature):
    def __init__(self, parameters=None, **k):
        got.extend(parameters or ())
        super().__init__(parameters, **k)
try: S.from_callable(copy.deepcopy)
except Exception as e: print(e)
for p in got:
    if type(p.default) is list: print(WON, p.default)
