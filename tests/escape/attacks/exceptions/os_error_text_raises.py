# class: exceptions
# layer: language
# must: say how the program ended, whatever its error does
# ends: exception
class O(OSError):
    strerror = property(lambda s: 1/0)
raise O("x")
