# class: formatting
# layer: language
# must: not follow an attribute
import string
class T(string.Template):
    idpattern = r"[a-z_.0-9]+"
text = T("$g.gi_frame").safe_substitute(g=(i for i in [1]))
print(WON if "frame object" in text or "<frame" in text else "inert")
