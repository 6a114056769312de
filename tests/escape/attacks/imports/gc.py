# class: imports
# layer: language
# must: give no module but the open views
import gc
print(WON, gc.get_objects()[:1])
