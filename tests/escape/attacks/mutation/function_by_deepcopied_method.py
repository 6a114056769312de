# class: mutation
# layer: language
# must:  write to nothing of the library
import copy
import json


class Own:
    def zork(self):
        self.planted = "x"
        return self

    def __deepcopy__(self, memo):
        return json.dumps


for method in (getattr(Own(), "".join(["zo", "rk"])), {1: getattr(Own(), "zo" + "rk")}):
    try:
        made = copy.deepcopy(method)
        print(WON, (made[1] if isinstance(made, dict) else made)().planted)
    except Exception as e:
        print(e)
