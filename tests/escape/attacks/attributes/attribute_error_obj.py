# class: attributes
# layer: language
# must: not hand out the object that the error is about
import json
try:
    json.nothing
except AttributeError as e:
    print(WON, e.obj.dumps)
