# class: mutation
# layer: language
# must:  write to nothing of the library
import functools
import json
import statistics


def f():
    pass


for wrapped in (json.dumps, statistics.mean, functools.wraps):
    try:
        functools.update_wrapper(f, wrapped)
        f.__annotations__["planted"] = int

        def g():
            pass

        functools.update_wrapper(g, wrapped)
        if "planted" in g.__annotations__:
            print(WON, g.__annotations__)
    except Exception as e:
        print(e)
