# class: text-to-code
# layer: language
# must: check the self of a getter and a setter in late text
import doctest, logging
class K:
    @property
    def p(self): return 1
    @p.setter
    def p(self, v): self.spoiled = v
def f():
    """
    >>> K.p.fset(logging.Formatter, 1)
    """
doctest.run_docstring_examples(f, {})
if getattr(logging.Formatter, "spoiled", None): print(WON)
