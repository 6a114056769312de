# class: protocol
# layer: protocol
# must: be a clear error or have no effect
# ends: limit memory_limit
x = "y" * 1000000
return [x] * 1000
