# class: exceptions
# layer: language
# must: say how the program ended, whatever its error does
# ends: exception
class C:
    def __eq__(self, o): raise KeyboardInterrupt
raise SystemExit(C())
