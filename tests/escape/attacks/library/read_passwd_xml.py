# class: library
# layer: language
# must: give nothing of the host
import xml.etree.ElementTree as E

print(WON, E.ElementTree(file="/etc/passwd"))
