# class: resource
# layer: resource
# must: be ended by its own limit
# ends: output_limit
import logging

while True:
    logging.error("x" * 1000)
