# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
print(WON, BaseException.with_traceback(ValueError(1), None))
