# class: imports
# layer: language
# must: give no module but the open views
from dataclasses import *
print(WON, sys, types)
