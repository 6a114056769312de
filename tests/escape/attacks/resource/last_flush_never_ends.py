# class: resource
# layer: resource
# must: be stopped
# ends: cpu_limit timeout
# limits: wall_s=3
import io, sys
class Raw(io.RawIOBase):
    def writable(self):
        return True
    def write(self, data):
        while True:
            pass
sys.stdout = io.TextIOWrapper(Raw())
print("x")
