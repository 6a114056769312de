# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
import weakref


class A:
    pass


a = A()
r = weakref.ref(a, lambda _: 1 / 0)
del a
print("inert")
