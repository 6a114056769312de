# class: imports
# layer: language
# must: give no module but the open views
import json
print(WON, json.__name__)
from json import tool
