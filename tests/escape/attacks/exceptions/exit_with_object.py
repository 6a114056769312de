# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
class C:
    def __repr__(self):
        return "x" * 10**8

    __str__ = __repr__


raise SystemExit(C())
