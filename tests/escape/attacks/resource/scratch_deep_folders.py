# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception limit memory_limit ok crash
import os
os.makedirs("/".join("x" * 5000))
