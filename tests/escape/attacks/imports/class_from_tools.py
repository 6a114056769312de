# class: imports
# layer: language
# must: import no special attribute of the tools
try:
    from tools import __class__ as C
except ImportError:
    C = None
if C is not None: print(C, WON)
