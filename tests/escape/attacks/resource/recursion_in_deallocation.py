# class: resource
# layer: resource
# must: be ended by its own limit
# ends: ok memory_limit
x = None
for _ in range(10**6):
    x = (x,)
del x
print("ok")
