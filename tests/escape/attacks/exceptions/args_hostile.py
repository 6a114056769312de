# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
class A:
    def __repr__(self):
        while True:
            pass


raise ValueError(A(), 1)
