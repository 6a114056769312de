# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception memory_limit
raise type("x" * 10**7, (Exception,), {})()
