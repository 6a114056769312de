# class: classes
# layer: language
# must: give no module
# ends: exception
import tarfile, contextlib
class M:
    def __contains__(self, x): return x == ":"
    def split(self, *a): return B, "x"
    def __eq__(self, o): return False
    def __hash__(self): return 1
B = (contextlib.redirect_stdout,)
class T(tarfile.TarFile):
    OPEN_METH = {"x": "__class__"}
K = T.open("K", M(), {"_stream": "modules", "__module__": "__main__"})
print(K)
r = K(None)
r.__enter__()
print(WON, r._old_targets[0]['builtins'])
