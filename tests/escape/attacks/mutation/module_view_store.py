# class: mutation
# layer: language
# must: be refused
import math

math.pi = WON
print(math.pi)
