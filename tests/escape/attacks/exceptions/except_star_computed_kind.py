# class: exceptions
# layer: language
# must: not let the interpreter take the parts of a group from the program
class Kind(ValueError):
    pass
kinds = [ValueError]
try:
    raise ExceptionGroup("x", [Kind(1)])
except* kinds.pop() as e:
    print(WON, e)
