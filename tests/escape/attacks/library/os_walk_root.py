# class: library
# layer: language
# must: give nothing of the host
import os

found = [f for _, d, f in os.walk("/") for f in f + d]
print(WON if "passwd" in found or "proc" in found else "inert")
