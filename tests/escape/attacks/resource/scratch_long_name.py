# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception limit memory_limit
open("/tmp/" + "x" * 10**7, "w")
