# class: exceptions
# layer: language
# must: say how the program ended, whatever its error does
# ends: exception
class G(ExceptionGroup):
    exceptions = property(lambda s: 1/0)
raise G("x", [ValueError()])
