# class: text-to-code
# layer: language
# must: turn no text into code
import string
class T(string.Template):
    pattern = "(?P<escaped>a)|(?P<named>b)|(?P<braced>c)|(?P<invalid>d)"
print("inert", T("abcd").safe_substitute({"b": "x", "c": "y"}))
