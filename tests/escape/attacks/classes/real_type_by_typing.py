# class: classes
# layer: language
# must: not hand out the real type
import typing
for alias in (typing.Type[int], typing.Optional[type], typing.Union[type, None]):
    for real in (getattr(alias, "__origin__", None), *alias.__args__):
        if isinstance(real, type):
            try:
                made = real("X", (), {"__init_subclass__": classmethod(lambda cls: None)})
            except TypeError:
                continue
            print(WON, made)
