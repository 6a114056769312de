# class: attributes
# layer: language
# must: not let a library class forward an attribute name unchecked
import urllib.error
e = urllib.error.HTTPError("u", 1, "m", {}, (i for i in [1]))
print(WON, e.__getattr__("gi_frame"))
