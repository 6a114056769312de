# class: imports
# layer: language
# must: give no module but the open views
import json._x
print(WON)
