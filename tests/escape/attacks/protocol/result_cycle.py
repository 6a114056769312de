# class: protocol
# layer: protocol
# must: be a clear error or have no effect
# ends: invalid_output
x = []
x.append(x)
return x
