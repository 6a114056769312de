# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
e = ValueError()
e.__setstate__({"__class__": int, "__traceback__": 1})
print(WON)
