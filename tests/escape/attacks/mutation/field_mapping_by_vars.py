# class: mutation
# layer: language
# must: not write to a library object, nor build source from what was written
import dataclasses


@dataclasses.dataclass
class Base:
    a: int = dataclasses.field(default=0, init=False, repr=False)


field = dataclasses.fields(Base)[0]
EVIL = "a,*,b=print(WON)"
vars(Base)["__dataclass_fields__"]["z,*,b=print(WON)"] = field
try:

    @dataclasses.dataclass
    class Child(Base):
        b: int = 1

    print(Child() == Child())
except TypeError as e:
    print("inert", len(str(e)))
