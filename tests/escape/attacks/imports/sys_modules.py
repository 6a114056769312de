# class: imports
# layer: language
# must: give no module but the open views
import sys
print(WON, sys.modules["os"])
