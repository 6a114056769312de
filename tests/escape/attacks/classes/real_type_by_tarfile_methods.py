# class: classes
# layer: language
# must:  make no class past the policy
import tarfile


class Mode(str):
    def split(self, *arguments):
        return (object,), "evil"


try:
    tarfile.TarFile.OPEN_METH["evil"] = "__class__"
except TypeError as e:
    print(e)
try:
    made = tarfile.TarFile.open("N", Mode("r:evil"), {"__del__": lambda self: print("del")})
except tarfile.TarError as e:
    print(e)
else:
    print(WON, made)
