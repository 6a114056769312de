# class: imports
# layer: language
# must: give no module but the open views
import importlib, functools
from concurrent.futures import ThreadPoolExecutor
class S(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash("json")
def attempt(f):
    try: found = f()
    except Exception: return
    if hasattr(found, "system") and "refused" not in repr(found.system) or hasattr(found, "CDLL"): print(WON, found)
attempt(lambda: list(map(importlib.import_module, ["ctypes"]))[0])
attempt(functools.partial(importlib.import_module, "ctypes"))
with ThreadPoolExecutor() as pool:
    attempt(lambda: pool.submit(importlib.import_module, "ctypes").result())
attempt(lambda: importlib.import_module(S("ctypes")))
attempt(lambda: importlib.import_module(".machinery", "importlib"))
attempt(lambda: importlib.import_module("_ctypes"))
