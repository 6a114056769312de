# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit
import itertools

list(itertools.repeat(0))
