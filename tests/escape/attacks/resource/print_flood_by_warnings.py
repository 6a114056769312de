# class: resource
# layer: resource
# must: be ended by its own limit
# ends: output_limit
import warnings

warnings.simplefilter("always")
while True:
    warnings.warn("x" * 1000)
