# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
try:
    nothing
except NameError as e:
    print("inert", e.name, e.args)
    print(WON, e.__traceback__)
