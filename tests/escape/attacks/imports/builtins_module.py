# class: imports
# layer: language
# must: give no module but the open views
import builtins
print(WON, builtins.eval)
