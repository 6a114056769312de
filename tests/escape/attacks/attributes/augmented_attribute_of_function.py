# class: attributes
# layer: language
# must: be refused
import json
json.dumps.__defaults__ += (1,)
print(WON)
