# class: library
# layer: language
# must:  give no default of a library function
import copy
import inspect
import json


def f():
    pass


class Changing:
    def __call__(self):
        pass

    def __getattr__(self, name):
        if name == "__wrapped__":
            f.__dict__.pop("__wrapped__", None)
            return target
        raise AttributeError(name)


for target in (copy.deepcopy, json.dumps):
    f.__dict__["__wrapped__"] = Changing()
    try:
        for parameter in inspect.signature(f).parameters.values():
            if type(parameter.default) is list:
                print(WON, parameter)
    except Exception as e:
        print(e)
