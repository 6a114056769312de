# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
e = ValueError(1)
for i in range(900):
    e = ExceptionGroup("g", [e])
raise e
