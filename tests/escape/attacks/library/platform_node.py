# class: library
# layer: language
# must: give nothing of the host
import platform

print(WON, platform.node(), platform.uname())
