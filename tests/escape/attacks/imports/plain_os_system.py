# class: imports
# layer: language
# must: give no module but the open views
import os
print(WON, os.system("true"))
