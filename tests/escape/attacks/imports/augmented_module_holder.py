# class: imports
# layer: language
# must: give no module
out = []
class R:
    def __radd__(self, o): out.append(o); return o
import pathlib
class P(pathlib.PurePosixPath): pass
for k in (1,):
    try: P._flavour += R()
    except Exception as e: print(e)
    try: P.parser += R()
    except Exception as e: print(e)
    for o in out:
        print(o)
        if hasattr(o, "os"): print(WON)
