# class: text-to-code
# layer: language
# must: turn no text into code
import re
print(WON, re.template("x"))
