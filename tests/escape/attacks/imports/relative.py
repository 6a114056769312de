# class: imports
# layer: language
# must: give no module but the open views
from . import os
print(WON)
