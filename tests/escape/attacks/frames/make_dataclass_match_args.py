# class: frames
# layer: language
# must: never reach a frame
from abc import ABC
import dataclasses
Peek = dataclasses.make_dataclass("Peek", ["ag_frame"], bases=(ABC,))
async def work():
    yield 1
g = work()
Peek.register(type(g))
match g:
    case Peek(frame):
        print(WON, frame)
