# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception memory_limit
raise ValueError("x" * 50_000_000)
