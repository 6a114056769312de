# class: imports
# layer: language
# must: give no module but the open views
import msgpack
print(WON, msgpack)
