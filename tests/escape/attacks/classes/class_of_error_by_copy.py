# class: classes
# layer: language
# must:  set no special name on an error
import copy


class First(Exception):
    pass


class Second(Exception):
    pass


class Reduced:
    def __init__(self, state):
        self.state = state

    def __reduce_ex__(self, protocol):
        return First, (), self.state


class Late(dict):
    def items(self):
        return [("__class__", Second)]


for state in ({"__class__": Second}, Late(), Late({"__class__": Second})):
    for make in (copy.copy, copy.deepcopy):
        try:
            made = make(Reduced(state))
            if type(made) is Second:
                print(WON, made)
        except Exception as e:
            print(e)
