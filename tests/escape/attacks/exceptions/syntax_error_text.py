# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
raise SyntaxError("m", ("/etc/passwd", 1, 1, None, 1, 5))
