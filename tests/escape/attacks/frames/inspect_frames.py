# class: frames
# layer: language
# must: give no frame and no code
import inspect
def g(): yield
for name in ("currentframe", "stack", "trace", "getclosurevars", "getframeinfo", "unwrap", "getattr_static", "sys", "types"):
    if getattr(inspect, name, None) is not None:
        print(WON, name)
for name, value in inspect.getmembers(g()):
    if name in ("gi_frame", "gi_code"):
        print(WON, value)
for name, value in inspect.getmembers(g):
    if name in ("__globals__", "__code__", "__closure__", "__builtins__"):
        print(WON, value)
for part in (inspect.Signature, inspect.signature(g), inspect.Parameter):
    for base in ("__base__", "__mro__", "__bases__"):
        try: print(WON, getattr(part, base))
        except AttributeError: pass
