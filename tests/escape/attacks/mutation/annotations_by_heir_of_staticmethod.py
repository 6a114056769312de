# class: mutation
# layer: language
# must: write to nothing of the library's
import json
class SM(staticmethod): pass
class CM(classmethod): pass
vars(SM(getattr))['__annotations__']['x'] = 'overwritten'
print(vars(CM(getattr)))
vars(SM(json.JSONDecoder))
print(WON)
