# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit exception
(1).to_bytes(10**10, "big")
