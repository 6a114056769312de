# class: attributes
# layer: language
# must: call no method with a foreign self
import json
import types


class C:
    def loot(self):
        return self.__self__

    def kynd(self):
        return self.__class__

    def insyde(self):
        return self.__dict__

    def wryte(self, new):
        self.__kwdefaults__ = new


class Own:
    def __call__(self, *a):
        pass

    def __eq__(self, other):
        found.append(other)
        return True

    def __hash__(self):
        return 1


found = []
c = C()
for name in ("lo", "ot"), ("ky", "nd"), ("ins", "yde"), ("wry", "te"):
    types.MethodType(Own(), c) == getattr(c, "".join(name))
f1, f2, f3, f4 = found
real = f1(len)
print(real, getattr(real, "ev" + "al"))
run = getattr(real, "ev" + "al")
print(run("__import__('sys')._getframe(0)", {"__builtins__": real}))
print(f2(C), f2(C) is type)
f3(json)["loads"] = "overwritten"
print(json.loads)
f4(json.dumps, {"skipkeys": "overwritten"})
f4(getattr, {"x": 1})
print(run("f.__kwdefaults__, g.__kwdefaults__", {"f": json.dumps, "g": getattr}))
print(WON)
