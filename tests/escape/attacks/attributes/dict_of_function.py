# class: attributes
# layer: language
# must: be refused
import json
print(WON, json.dumps.__dict__)
