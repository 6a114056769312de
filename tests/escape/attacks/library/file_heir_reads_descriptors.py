# class: library
# layer: language
# must: give nothing of the scratch tree to an heir of a file
import io
class F(io.FileIO):
    def look(self): return self._files
print(F("/tmp/x", "w").look(), WON)
