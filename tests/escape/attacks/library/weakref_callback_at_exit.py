# class: library
# layer: language
# must: give nothing of the host
import weakref


class A:
    pass


a = A()
r = weakref.ref(a, lambda _: print(WON))
print("inert")
