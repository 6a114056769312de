# class: imports
# layer: language
# must: give no module but the open views
import functools
class A:
    x = property(functools.partial(__import__, "subprocess"))
print(WON, A().x)
