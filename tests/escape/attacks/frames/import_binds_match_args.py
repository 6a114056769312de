# class: frames
# layer: language
# must: not bind a checked name by an import
from abc import ABC
class Peek(ABC):
    from functools import WRAPPER_UPDATES as __match_args__
import json
Peek.register(type(json))
match json:
    case Peek(found):
        found["dumps"] = lambda *a, **k: WON
        print(json.dumps(1))
