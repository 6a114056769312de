# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception crash timeout
import copy
x = []
for _ in range(10**5):
    x = [x]
copy.deepcopy(x)
