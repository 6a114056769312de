# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit
",".join(["x" * 10**6] * 10**4)
