# class: mutation
# layer: language
# must: write to nothing of the library's
import abc, json
abc.abstractclassmethod(json.dumps)
abc.abstractstaticmethod(getattr)
print(json.dumps.__isabstractmethod__, getattr.__isabstractmethod__)
print(WON)
