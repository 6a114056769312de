# class: imports
# layer: language
# must: give no module but the open views
import _io
print(WON, _io.open)
