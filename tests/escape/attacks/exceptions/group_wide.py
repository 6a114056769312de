# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
raise ExceptionGroup("g", [ValueError("x" * 1000)] * 100000)
