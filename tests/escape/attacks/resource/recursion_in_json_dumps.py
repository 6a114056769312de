# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception crash
import json
x = []
for _ in range(10**5):
    x = [x]
json.dumps(x)
