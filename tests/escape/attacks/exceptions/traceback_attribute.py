# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
try:
    1 / 0
except Exception as e:
    print(WON, e.__traceback__)
