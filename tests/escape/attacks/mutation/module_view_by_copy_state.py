# class: mutation
# layer: language
# must: be refused
import copy, math


class Carrier:
    def __reduce__(self):
        return (lambda: math, (), {"pi": WON})


copy.copy(Carrier())
print(math.pi)
