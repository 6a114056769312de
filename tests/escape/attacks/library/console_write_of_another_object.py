# class: library
# layer: language
# must: write to the run's own streams and to nothing else
# ends: exception
import sys
class F:
    _stream = "other"
type(sys.stdout).write(F(), "x")
print(WON)
