# class: imports
# layer: language
# must: give no module but the open views
import RestrictedPython
print(WON)
