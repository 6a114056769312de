# class: imports
# layer: language
# must: import no special attribute of the tools
from tools import __dict__ as held
print(held, WON)
