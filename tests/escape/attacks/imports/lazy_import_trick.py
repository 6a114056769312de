# class: imports
# layer: language
# must: give no module but the open views
import dataclasses, functools
D = dataclasses.make_dataclass("D", [("x", object, dataclasses.field(default_factory=functools.partial(__import__, "subprocess")))], namespace={"__module__": "nowhere"})
print(WON, D().x.run)
