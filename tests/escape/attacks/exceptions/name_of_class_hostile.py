# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
E = type("E" * 10**6, (Exception,), {})
raise E("x")
