# class: library
# layer: language
# must: give nothing of the host
import csv


class D(csv.excel):
    delimiter = "\0"


csv.register_dialect("excel", D)
print("inert")
