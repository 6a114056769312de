# class: attributes
# layer: language
# must:  take no method out of a class for any self
import threading


class Inner:
    localargs = ((int,), {})

    def get_dict(self):
        raise KeyError

    def create_dict(self):
        return {}


class K:
    def __init__(self):
        print(WON, self.__dict__)


K._local__impl = Inner()
threading.local.__getattribute__(K, "anything")
