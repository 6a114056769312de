# class: imports
# layer: language
# must: give no module but the open views
import zipfile, glob
for view in (zipfile, glob):
    for name in dir(view):
        value = getattr(view, name)
        if type(value).__name__ == "module" and "/" in repr(value):
            print(WON, value)
