# class: attributes
# layer: language
# must:  compare no function with an object
import argparse
import weakref


class Grab:
    def __eq__(self, reference):
        print(WON, reference())
        return False

    def __ne__(self, reference):
        return not self == reference

    def __hash__(self):
        return 1


class Own(weakref.ref):
    _alive = True
    _func_ref = Grab()


class Heir(argparse.Namespace):
    pass


h = Heir()
for compare in (weakref.WeakMethod.__eq__, weakref.WeakMethod.__ne__):
    try:
        compare(Own(h), weakref.WeakMethod(h._get_kwargs))
    except (AttributeError, TypeError) as e:
        print(e)
