# class: frames
# layer: language
# must: give no locals of the library's frames
import traceback, json
try: json.loads(1)
except Exception as e:
    te = traceback.TracebackException.from_exception(e, capture_locals=True)
    print(WON, te.stack[-1].locals)
