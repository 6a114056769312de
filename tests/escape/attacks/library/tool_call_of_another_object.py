# class: library
# layer: language
# must: send nothing that the guest has not encoded
# ends: exception
T = type(tools.echo)
class C:
    def __getattr__(self, n): return self
    def __call__(self, *a, **k): return b"\xff\xff"
class Me:
    _signature = None
    _name = "tools.echo"
    _path = "tools.echo"
    _caller = C()
T.__call__(Me())
print(WON)
