# class: text-to-code
# layer: language
# must: trust no method of late text
import doctest, logging
out = []
def f():
    """
    >>> class K:
    ...     def put(self, v):
    ...         self.spoiled = v
    >>> out.append(K)
    """
doctest.run_docstring_examples(f, {"out": out})
out[0].put(logging.Formatter, 1)
if getattr(logging.Formatter, "spoiled", None): print(WON)
