# class: mutation
# layer: language
# must: be refused: the decorator changes the class
import warnings, json
try: dep = warnings.deprecated
except AttributeError: raise SystemExit
class M(str): pass
dep(WON)(json.JSONEncoder)
warnings.simplefilter("always")
json.JSONEncoder()
