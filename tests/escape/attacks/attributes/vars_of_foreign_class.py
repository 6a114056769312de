# class: attributes
# layer: language
# must: be refused
import json
print(WON, vars(json.JSONDecoder))
