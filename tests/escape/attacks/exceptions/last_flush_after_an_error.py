# class: exceptions
# layer: language
# must: say how the program ended, whatever its streams do after it
# ends: exception
import io, sys
class Raw(io.RawIOBase):
    def writable(self):
        return True
    def write(self, data):
        raise KeyboardInterrupt
sys.stdout = sys.stderr = io.TextIOWrapper(Raw())
print("x")
1 / 0
