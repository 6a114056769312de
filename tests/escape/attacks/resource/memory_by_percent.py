# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit exception
print(len("%*d" % (10**9 * 2, 1)))
