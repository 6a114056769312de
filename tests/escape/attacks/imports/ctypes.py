# class: imports
# layer: language
# must: give no module but the open views
import ctypes
print(WON, ctypes.CDLL(None))
