# class: text-to-code
# layer: language
# must: keep the checks whatever names an example is given
import doctest, logging
class All:
    def __contains__(self, x): return True
out = []
def f():
    """
    >>> k = logging.Formatter
    >>> k.spoiled = 1
    >>> out.append(k.__class__)
    """
doctest.run_docstring_examples(f, {"$own": All(), "out": out})
if getattr(logging.Formatter, "spoiled", None): print(WON)
for o in out: print(o, o is not type and WON)
