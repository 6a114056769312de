# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit
import array

a = array.array("q", [0]) * 10**9
