# class: library
# layer: language
# must: give nothing of the host
import contextvars

for var, value in contextvars.copy_context().items():
    print("inert", var.name)
