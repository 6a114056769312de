# class: library
# layer: language
# must: give no method past the check of its self
import functools, logging
class K:
    def put(self, v): self.spoiled = v
class W: pass
w = W()
n = "p" + "ut"
functools.update_wrapper(w, K, (n,), ())
w.__dict__[n](logging.Formatter, 1)
print(WON)
