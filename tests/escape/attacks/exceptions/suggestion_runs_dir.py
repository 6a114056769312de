# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
class A:
    def __dir__(self):
        print("dir was asked")
        return [object()]


raise AttributeError("x", name="y", obj=A())
