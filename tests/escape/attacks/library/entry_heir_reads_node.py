# class: library
# layer: language
# must: give nothing of the scratch tree to an heir of an entry of a folder
import os
class D(os.DirEntry): pass
print(WON)
