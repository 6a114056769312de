# class: imports
# layer: language
# must: give no module but the open views
import __future__
print(WON, __future__)
