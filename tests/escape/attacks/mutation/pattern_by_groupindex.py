# class: mutation
# layer: language
# must:  write to nothing of the library
import dataclasses
import string


class Told:
    def __eq__(self, other):
        try:
            other["EVIL"] = 1
        except Exception as e:
            print(e)
        return True

    __ror__ = __eq__


pattern = string.Template.pattern
for proxy in (lambda: pattern.groupindex, lambda: dataclasses.field().metadata):
    for compare in (lambda: proxy() == Told(), lambda: proxy() | Told()):
        try:
            compare()
        except Exception as e:
            print(e)
    if "EVIL" in proxy():
        print(WON, proxy())
