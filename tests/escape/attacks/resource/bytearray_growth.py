# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit
x = bytearray()
while True:
    x += bytes(10**7)
