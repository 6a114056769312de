# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
class A(Exception):
    pass


class B(Exception):
    pass


e = A()
e.__setstate__({"__class__": B})
print(WON if type(e) is B else "inert")
