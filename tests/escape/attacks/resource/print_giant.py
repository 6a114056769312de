# class: resource
# layer: resource
# must: be ended by its own limit
# ends: output_limit memory_limit
print("x" * 200_000_000)
