# class: classes
# layer: language
# must: not give a changed view to others
import json
View = type(json)
mine = View({"dumps": lambda *a: WON}, "json", {})
print(json.dumps("inert"))
