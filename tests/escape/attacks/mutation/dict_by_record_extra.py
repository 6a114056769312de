# class: mutation
# layer: language
# must: write nothing into an object of the library
# ends: exception
import enum, logging
p = enum.property()
logging.setLogRecordFactory(lambda *a, **k: p)
logging.Logger("x").makeRecord("x", 1, "f", 1, "m", (), None, extra={"name": "__subclasses__"})
print(WON, p.name)
