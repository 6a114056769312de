# class: mutation
# layer: language
# must:  make nothing of the library's anew
import doctest
import uuid


def f():
    """
    >>> class A:
    ...     def m(self): return super().__init__
    >>> A().m()(int=5)
    """


doctest.run_docstring_examples(f, {"super": lambda: uuid.NAMESPACE_DNS})
if uuid.NAMESPACE_DNS.int == 5:
    print(WON)
