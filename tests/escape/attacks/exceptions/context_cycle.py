# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
a = ValueError(1)
b = ValueError(2)
a.__cause__ = b
b.__cause__ = a
raise a
