# class: attributes
# layer: language
# must:  show nothing of what lies inside of other objects
import contextlib
import copy
import logging


class Own:
    def write(self, text):
        pass

    def __deepcopy__(self, memo):
        for value in list(memo.values()):
            if type(value) is dict:
                value["planted"] = WON
            if type(value) is list:
                for one in value:
                    if type(one) is dict:
                        print(WON, one)
        return self


for memo in ({}, None):
    made = copy.deepcopy(contextlib.redirect_stdout(Own()), memo)
    print(getattr(made, "planted", "clean"))
    made = copy.deepcopy(logging.LoggerAdapter(logging.root, Own()), memo)
    print(getattr(made, "planted", "clean"))
