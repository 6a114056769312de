# class: library
# layer: language
# must: give nothing of the host
import os

print(WON if os.getenv("CODEMODE_CANARY") else "inert")
