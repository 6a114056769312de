# class: protocol
# layer: protocol
# must: be a clear error or have no effect
# ends: invalid_output
x = None
for i in range(100000):
    x = [x]
return x
