# class: library
# layer: language
# must: give nothing of the host
import abc

print(WON, abc._get_dump(abc.ABC))
