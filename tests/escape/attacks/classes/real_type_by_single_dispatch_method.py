# class: classes
# layer: language
# must:  give no real type
import functools

got = []


class Dispatcher:
    def dispatch(self, kind):
        got.append(kind)
        return lambda *_: None


class Own:
    dispatcher = Dispatcher()
    func = register = None
    _method_cache = None


Own.__isabstractmethod__ = False


class Bound:
    pass


functools.singledispatchmethod.__get__(Own(), Bound(), Bound)(Bound)
if got:
    print(WON, got[0]("X", (), {}))
