# class: imports
# layer: language
# must: give no module but the open views
import importlib.machinery
print(WON)
