# class: exceptions
# layer: language
# must: say how the program ended, whatever its error does
# ends: exception
class N(NameError):
    name = property(lambda s: (_ for _ in ()).throw(KeyboardInterrupt))
raise N("x")
