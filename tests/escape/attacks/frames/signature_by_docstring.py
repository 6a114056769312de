# class: frames
# layer: language
# must: look up no name of a docstring in other modules
import inspect
class C:
    "C(x=sys.executable)\n--\n\nA class."
for p in inspect.signature(C).parameters.values(): print(WON, p.default)
