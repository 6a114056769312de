# class: formatting
# layer: language
# must:  look at every field of a format
import zipfile


class Own:
    pass


def f():
    pass


own = Own()
own.f = f
own._Path__repr = "{self.f.__globals__} {self.f.__code__}"
for show in (lambda: zipfile.Path.__repr__(own), lambda: str(zipfile.Path.__str__(own))):
    try:
        text = show()
        if "code object" in text:
            print(WON, text)
    except Exception as e:
        print(e)


class Heir(zipfile.Path):
    def __init__(self):
        self.f = f

    _Path__repr = "{self.f.__globals__} {self.f.__code__}"


try:
    print(WON if "code object" in repr(Heir()) else "")
except Exception as e:
    print(e)
