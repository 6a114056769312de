# class: text-to-code
# layer: language
# must: turn no text into code
from __future__ import barry_as_FLUFL
print(WON)
