# class: imports
# layer: language
# must: give no module but the open views
import pickle
print(WON, pickle.loads(b"cos\nsystem\n."))
