# class: library
# layer: language
# must: give nothing of the host
import linecache

print(WON, linecache.getline("/etc/passwd", 1))
