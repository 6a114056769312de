# class: text-to-code
# layer: language
# must: give no method past the check of its self in late text
import doctest, logging
out = []
class R:
    def __radd__(self, o): out.append(o); return o
class K:
    def put(self, v): self.spoiled = v
def f():
    """
    >>> K.put += R()
    >>> out[0](logging.Formatter, 1)
    """
doctest.run_docstring_examples(f, {})
if getattr(logging.Formatter, "spoiled", None): print(WON)
