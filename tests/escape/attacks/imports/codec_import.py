# class: imports
# layer: language
# must: give no module but the open views
import codecs
print(WON, codecs.lookup("subprocess"))
