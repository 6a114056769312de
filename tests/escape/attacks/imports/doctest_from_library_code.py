# class: imports
# layer: language
# must: run examples in the program's namespace alone
import doctest, threading
out = []
def f():
    """
    >>> out.append(sys)
    >>> out.append(SCHEDULER)
    """
t = threading.Thread(target=doctest.run_docstring_examples, args=(f, {"out": out}))
t.start(); t.join()
for o in out: print(WON, o)
