# class: mutation
# layer: language
# must: be refused
import math

object.__setattr__(math, "pi", WON)
print(math.pi)
