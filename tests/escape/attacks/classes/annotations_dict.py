# class: classes
# layer: language
# must: be refused
import json
json.dumps.__annotations__["x"] = 1
print(WON)
