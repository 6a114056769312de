# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
e = ValueError(1)
e.__notes__ = [object()]
raise e
