# class: mutation
# layer: language
# must: be refused
import sys

sys.stdout._stream = "forged"
print(WON)
