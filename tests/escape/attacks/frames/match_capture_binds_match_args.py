# class: frames
# layer: language
# must: not bind a checked name by a capture
from abc import ABC
class Peek(ABC):
    match ("__globals__",):
        case __match_args__:
            pass
import json
Peek.register(type(json.dumps))
match json.dumps:
    case Peek(found):
        print(WON, sorted(found)[:3])
