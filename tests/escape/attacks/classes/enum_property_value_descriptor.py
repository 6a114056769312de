# class: classes
# layer: language
# must: never reach a frame
import enum
class P(enum.property):
    pass
p = P()
p._attr_type = "desc"
p.name = "gi_frame"
class Owner:
    _member_map_ = {}
o = Owner()
o._value_ = (i for i in [1])
print(WON, p.__get__(o, Owner))
