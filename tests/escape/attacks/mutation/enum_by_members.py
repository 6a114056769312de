# class: mutation
# layer: language
# must:  write to nothing of the library
import http
import tarfile


class Told:
    def __eq__(self, other):
        try:
            other["EVIL"] = "__subclasses__"
        except Exception as e:
            print(e)
        return True


for proxy in (http.HTTPStatus.__members__, getattr(tarfile.TarFile, "OPEN_METH", {})):
    print(proxy == Told())
    if "EVIL" in (http.HTTPStatus.__members__ if proxy is not tarfile.TarFile.OPEN_METH else proxy):
        print(WON, proxy)
