# class: classes
# layer: language
# must:  make no class past the policy
import traceback

got = []


class Error(Exception):
    pass


class Heir(traceback.TracebackException):
    def __init__(self, kind, *_, **__):
        got.append(kind)


for one in (Error, Heir):
    for kind in (Heir, traceback.TracebackException):
        try:
            kind.from_exception(one)
        except Exception as e:
            print(e)
got = [one for one in got if one is not Error]

for one in got:
    try:
        print(WON, one("X", (), {"__del__": lambda self: None}))
    except (AttributeError, TypeError) as e:
        print(e)
