# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
e = None
for i in range(3000):
    n = ValueError(i)
    n.__cause__ = e
    e = n
raise e
