# class: exceptions
# layer: language
# must: not let the interpreter take the parts of a group from the program
class G(ExceptionGroup):
    def split(self, kind):
        return (WON, (i for i in [1]))
try:
    raise G("x", [ValueError(1)])
except* ValueError as e:
    print(WON, e)
