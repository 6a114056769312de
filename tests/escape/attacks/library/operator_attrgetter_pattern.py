# class: library
# layer: language
# must: give nothing of the host
import operator

print(WON, operator.attrgetter("gi_frame")(i for i in [1]))
