# class: classes
# layer: language
# must: be refused
import json
class M(type(json)):
    pass
print(WON, M)
