# class: text-to-code
# layer: language
# must: turn no text into code
import doctest
def f():
    """
    >>> print((lambda: 0).__globals__)
    x
    """
doctest.run_docstring_examples(f, {}, verbose=True)
print("end")
