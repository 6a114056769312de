# class: attributes
# layer: language
# must:  call no private method of the library's with a class
import argparse
import dataclasses


class Heir(argparse.Namespace):
    pass


@dataclasses.dataclass
class Own:
    x: int = 0


raw = dict(Heir._get_kwargs(Own))
raw["__dataclass_fields__"]["forged"] = 1
print(WON, Own.__dataclass_fields__)
