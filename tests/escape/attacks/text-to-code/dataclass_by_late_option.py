# class: text-to-code
# layer: language
# must:  make no code of the text
import dataclasses

TEXT = "a or print(WON)"


@dataclasses.dataclass
class Base:
    a: int = dataclasses.field(default=0, init=False, repr=False)


class Late:
    def __bool__(self):
        field = dataclasses.fields(Base)[0]
        for change in (
            lambda: setattr(field, "name", TEXT),
            lambda: Base.__dataclass_fields__.update({TEXT: field}),
            lambda: Child.__annotations__.update({TEXT: int}),
        ):
            try:
                change()
            except Exception as e:
                print(e)
        return True


class Child(Base):
    b: int = 1


for name in ("match_args", "eq", "order", "repr", "init", "frozen", "slots"):
    try:
        made = dataclasses.dataclass(**{name: Late()})(Child)
        print(made() == made(), made())
    except Exception as e:
        print(e)
