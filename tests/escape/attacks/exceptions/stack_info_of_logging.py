# class: exceptions
# layer: language
# must: show no frame of the sandbox
# ends: ok
import logging

logging.basicConfig()
logging.error("inert", stack_info=True)
