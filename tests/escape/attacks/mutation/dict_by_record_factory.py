# class: mutation
# layer: language
# must: write nothing into an object of the library
# ends: exception
import enum, logging
p = enum.property()
class A:
    q = p
    _member_map_ = {}
logging.setLogRecordFactory(lambda *a, **k: p)
logging.makeLogRecord({"_attr_type": "attr", "_cls_type": object, "name": "__subclasses__"})
print(WON, A().q)
