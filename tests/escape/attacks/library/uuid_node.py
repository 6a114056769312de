# class: library
# layer: language
# must: give nothing of the host
import uuid

print(WON, uuid.getnode())
