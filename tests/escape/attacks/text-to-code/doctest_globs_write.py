# class: text-to-code
# layer: language
# must: keep the checks whatever names an example is given
import doctest, logging
def f():
    """
    >>> logging.Formatter.spoiled = 1
    """
doctest.run_docstring_examples(f, {"$write": lambda v: v})
if getattr(logging.Formatter, "spoiled", None): print(WON)
