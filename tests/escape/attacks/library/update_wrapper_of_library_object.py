# class: library
# layer: language
# must: copy no private attribute of a library object
import functools, threading
def f(): pass
functools.update_wrapper(f, threading.main_thread())
print(f.__dict__)
if "_strand" in f.__dict__: print(WON)
