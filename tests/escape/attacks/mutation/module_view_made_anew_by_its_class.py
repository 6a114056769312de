# class: mutation
# layer: language
# must: be refused: the view would hold other names
import json
type(json).__init__(json, {"dumps": lambda *a: WON}, "json", {})
print(json.dumps(1))
