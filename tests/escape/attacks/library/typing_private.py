# class: library
# layer: language
# must: give nothing of the host
import typing

print(WON, typing._GenericAlias)
