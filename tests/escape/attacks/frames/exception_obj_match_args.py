# class: frames
# layer: language
# must: be refused
from abc import ABC
from dataclasses import dataclass
@dataclass
class Peek(ABC):
    obj: object
Peek.register(AttributeError)
import json
try:
    json.nothing
except AttributeError as e:
    match e:
        case Peek(found):
            print(WON, found)
