# class: classes
# layer: language
# must: never reach a frame
# ends: exception
import enum
class E(str, enum.Enum):
    upper = "a"
p = vars(E)["upper"]  # since 3.12 it reads what it is named after off the value
p.__set_name__(E, "gi_frame")
E.upper._value_ = (i for i in [1])
print(WON, E.upper.upper)
