# class: attributes
# layer: language
# must: not let a library class forward an attribute name unchecked
import urllib.error
class E(urllib.error.HTTPError):
    def peek(self, name):
        return super().__getattr__(name)
print(WON, E("u", 1, "m", {}, (i for i in [1])).peek("gi_frame"))
