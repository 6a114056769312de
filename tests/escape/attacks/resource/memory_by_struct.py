# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit exception
import struct

struct.pack("10000000000x")
