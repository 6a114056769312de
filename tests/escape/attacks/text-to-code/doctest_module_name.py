# class: text-to-code
# layer: language
# must: keep the checks whatever names an example is given
import doctest, logging
def f():
    """
    >>> import dataclasses
    >>> @dataclasses.dataclass
    ... class K:
    ...     spoiled: int
    >>> K.__init__(logging.Formatter, 1)
    """
doctest.run_docstring_examples(f, {"__name__": "json"})
if hasattr(logging.Formatter, "spoiled"): print(WON)
