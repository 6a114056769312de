# class: exceptions
# layer: language
# must: not let the interpreter take the parts of a group from the program
try:
    raise ValueError(1)
except* ValueError as e:
    print(WON, e)
