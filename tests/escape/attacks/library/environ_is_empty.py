# class: library
# layer: language
# must: give nothing of the host
import os

print(WON if "CANARY" in str(dict(os.environ)) else "inert", len(os.environ))
