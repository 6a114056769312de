# class: library
# layer: language
# must: give nothing of the scratch tree
# ends: exception
import io
class Me:
    pass
m = Me()
try: io.FileIO.__init__(m, "/tmp/x", "w")
except Exception as e: print(e)
print(WON, m._files)
