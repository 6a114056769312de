# class: text-to-code
# layer: language
# must:  make no code of the text
import dataclasses


@dataclasses.dataclass
class Base:
    x: int = 1


class Anything:
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


class Fake:
    default = default_factory = dataclasses.MISSING
    init = True
    repr = hash = compare = kw_only = False
    type = int
    metadata = {}
    _field_type = Anything()
    asked = 0

    @property
    def name(self):
        Fake.asked += 1
        return "y" if Fake.asked != at else "y=print(WON),*,z"


for held in (vars(Base), Base.__dict__):
    fields = held["__dataclass_fields__"]
    fields.clear()
    fields["y"] = Fake()
for at in range(1, 12):
    Fake.asked = 0
    try:

        @dataclasses.dataclass(repr=False, eq=False, match_args=False)
        class Heir(Base):
            pass

    except Exception as e:
        print(e)
if "x" not in {field.name for field in dataclasses.fields(Base)}:
    print(WON, dataclasses.fields(Base))
