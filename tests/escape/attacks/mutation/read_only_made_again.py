# class: mutation
# layer: language
# must:  write to nothing of the library
import pathlib
import tarfile


class Own(pathlib.PurePosixPath):
    __slots__ = {"q": ""}


kind = type(Own.__slots__)
for target, names in (
    (getattr(tarfile.TarFile, "OPEN_METH", None), {"EVIL": "x"}),
    (Own.__slots__, {"_flavour": "", "parser": "", "__setattr__": ""}),
):
    for change in (
        lambda: kind.__init__(target, names),
        lambda: target.__init__(names),
        lambda: target.update(names),
        lambda: object.__setattr__(target, "_items", tuple(names.items())),
    ):
        try:
            change()
        except Exception as e:
            print(e)
    if any(name in target for name in names):
        print(WON, target)
