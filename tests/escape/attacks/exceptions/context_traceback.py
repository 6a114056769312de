# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
try:
    try:
        1 / 0
    finally:
        raise KeyError
except KeyError as e:
    print(WON, getattr(e.__context__, "__trace" + "back__"))
