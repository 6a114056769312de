# class: exceptions
# layer: language
# must: show no frame of the sandbox
# ends: ok
import traceback

try:
    getattr(1, "__glo" + "bals__")
except AttributeError:
    traceback.print_exc()
try:
    setattr(dict, "x", 1)
except Exception:
    print(traceback.format_exc())
