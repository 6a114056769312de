# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit
x = [0] * (10**10)
