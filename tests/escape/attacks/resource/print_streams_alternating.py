# class: resource
# layer: resource
# must: be ended by its own limit
# ends: output_limit
# limits: log_entries=2000
import sys

while True:
    print("a")
    print("b", file=sys.stderr)
