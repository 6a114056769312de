# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
raise OSError(2, "No such file", "/etc/passwd")
