# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit exception
print(len(f"{1:>{10**10}}"))
