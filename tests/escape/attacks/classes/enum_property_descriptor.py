# class: classes
# layer: language
# must: never reach a frame
import enum
class P(enum.property):
    pass
p = P()
p._attr_type = "attr"
p._cls_type = (i for i in [1])
p.name = "gi_frame"
class Owner:
    _member_map_ = {}
print(WON, p.__get__(Owner(), Owner))
