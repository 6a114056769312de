# class: imports
# layer: language
# must: give no module but the open views
import codemode.sandbox.jail.kernel as k
print(WON, k.call)
