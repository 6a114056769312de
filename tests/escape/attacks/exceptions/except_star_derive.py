# class: exceptions
# layer: language
# must: not let the interpreter take the parts of a group from the program
class G(ExceptionGroup):
    def derive(self, inner):
        return object()
try:
    raise G("x", [ValueError(1), KeyError(2)])
except* ValueError as e:
    print(WON, e)
