# class: exceptions
# layer: language
# must: say how the program ended, whatever its error does
# ends: exception
class S(SyntaxError):
    filename = property(lambda s: 1/0)
    text = property(lambda s: 1/0)
    lineno = property(lambda s: exit(3))
raise S("x")
