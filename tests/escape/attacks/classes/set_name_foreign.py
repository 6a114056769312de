# class: classes
# layer: language
# must: be refused
import functools
p = functools.cached_property(lambda self: 1)
p.__set_name__(str, "upper")
p.attrname = "__class__"
print(WON)
