# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit exception
import random

random.randbytes(10**10)
