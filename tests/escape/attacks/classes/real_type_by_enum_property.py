# class: classes
# layer: language
# must: never give the real type
# ends: exception
import enum
class M:
    x = 5
class E(M, enum.Enum):
    x = 1
p = vars(enum.Enum)["name"] if "x" not in vars(E) else vars(E)["x"]
p.__set_name__(M, "__class__")
print(WON, E.x.x("K", (), {"__del__": None}))
