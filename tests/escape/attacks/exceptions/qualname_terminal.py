# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
E = type("E\x1b[31m\0", (Exception,), {})
raise E("\x1b]0;title\x07")
