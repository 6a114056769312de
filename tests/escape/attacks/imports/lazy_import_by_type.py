# class: imports
# layer: language
# must: give no module but the open views
import dataclasses, functools
C = type("C", (), {"__module__": "nowhere", "__annotations__": {"x": int}, "x": dataclasses.field(default_factory=functools.partial(__import__, "subprocess"))})
print(WON, dataclasses.dataclass(C)().x.run)
