# class: mutation
# layer: language
# must: be refused
import sys

sys.stdout = None
print(WON)
