# class: library
# layer: language
# must: give no function of a class without its check
# ends: exception
import weakref, json
class A:
    def put(self, v): self.evil = v
class W(weakref.WeakMethod):
    def look(self): return self._func_ref()
a = A()
w = W(getattr(a, 'p' + 'ut'))
w.look()(json.JSONEncoder, 7)
print(WON, json.JSONEncoder.evil)
