# class: mutation
# layer: language
# must:  call no method with a foreign self
import json


class Evil:
    def __init__(self, *_):
        pass

    def setter(self, function):
        try:
            function(json.dumps, "mine")
        except AttributeError as e:
            print(e)
        return function


class A:
    @property
    def zork(self):
        return 1

    zork = Evil()

    @zork.setter
    def zork(self, v):
        self.planted = v


class B:
    @property
    def zark(self):
        return 1

    @Evil
    def zark(self):
        return 1

    @zark.setter
    def zark(self, v):
        self.planted = v


class C:
    for turn in range(2):
        if not turn:

            @property
            def zirk(self):
                return 1

        @zirk.setter
        def zirk(self, v):
            self.planted = v

        @Evil
        def zirk(self):
            return 1


if hasattr(json.dumps, "planted"):
    print(WON)
