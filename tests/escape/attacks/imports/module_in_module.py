# class: imports
# layer: language
# must: give no module but the open views
import random
print(WON, random._os)
