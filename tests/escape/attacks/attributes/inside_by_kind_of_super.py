# class: attributes
# layer: language
# must:  read nothing private of the library
import asyncio
import json


class Own:
    def above(self):
        return super()


above = Own().above()
for kind in (type(above), above.__class__, *map(type, [above])):
    for owner, target in ((type(json), json), (type(asyncio), asyncio), (type(print), print)):
        try:
            made = kind(owner, target)
        except Exception as e:
            print(e)
            continue
        for read in (lambda: made.__getstate__(), lambda: made.__reduce_ex__(2)):
            try:
                print(WON, read())
            except Exception as e:
                print(e)
