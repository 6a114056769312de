# class: imports
# layer: language
# must: give no module but the open views
import collections, functools
T = collections.namedtuple("T", "a", module="nowhere")
print(WON, T._make([functools.partial(__import__, "subprocess")()]))
