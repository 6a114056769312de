# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
e = SyntaxError("m")
e.lineno = 10**30
e.text = "x" * 10**7
e.offset = -5
e.end_offset = "x"
raise e
