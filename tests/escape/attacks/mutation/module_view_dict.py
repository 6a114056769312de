# class: mutation
# layer: language
# must: be refused
import math

math.__dict__["pi"] = WON
print(math.pi)
