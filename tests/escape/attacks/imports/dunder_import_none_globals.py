# class: imports
# layer: language
# must: give no module but the open views
import functools
print(WON, list(map(functools.partial(__import__, "subprocess"), [None])))
