# class: attributes
# layer: language
# must:  set no special name of a class
import enum


class D(enum.Enum):
    A = 1


D.A._add_alias_("__getattribute__")
print(WON, vars(D)["__getattribute__"])
