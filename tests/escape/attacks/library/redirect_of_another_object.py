# class: library
# layer: language
# must: give no module
# ends: exception
import contextlib
class Me:
    _stream = "mod" + "ules"
    _new_target = None
    _old_targets = []
import sys
try: contextlib.redirect_stdout.__enter__(Me())
except Exception as e: print(e)
print(WON, Me._old_targets[0]['builtins'])
