# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception crash
import json
json.loads("[" * 10**6)
