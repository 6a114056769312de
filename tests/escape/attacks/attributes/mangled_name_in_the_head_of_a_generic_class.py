# class: attributes
# layer: language
# must:  give no private attribute of the library's
import collections.abc
import types

got = []


def keep(value):
    got.append(value)
    return dict


@types.coroutine
def wrapped():
    class G(collections.abc.Generator):
        def send(self, _):
            raise StopIteration(7)

        def throw(self, *_):
            raise StopIteration

    return G()


w = wrapped()
class GeneratorWrapper[T](keep(w.__wrapped)): pass
if got:
    print(WON, got)
