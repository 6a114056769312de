# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit exception
("a" * 10**6).replace("a", "b" * 10**4)
