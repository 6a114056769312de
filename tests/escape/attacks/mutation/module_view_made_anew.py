# class: mutation
# layer: language
# must: be refused: the view would hold other names
import json
json.__init__({"dumps": lambda *a: WON}, "json", {})
print(json.dumps(1))
