# class: classes
# layer: language
# must: be refused
import enum
class E(enum.Enum):
    _ignore_ = ["__class__"]
    A = 1
print(WON, E.A.__class__.__base__.__subclasses__())
