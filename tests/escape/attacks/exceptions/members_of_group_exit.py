# class: exceptions
# layer: language
# must: say how the program ended, whatever its error does
# ends: exception
def boom(s): raise SystemExit(3)
class G(ExceptionGroup):
    exceptions = property(boom)
raise G("x", [ValueError()])
