# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit
x = "x"
while True:
    x += x
