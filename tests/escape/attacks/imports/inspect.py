# class: imports
# layer: language
# must: give no module but the open views
import inspect
print(WON, inspect.currentframe())
