# class: library
# layer: language
# must:  show no module
import dataclasses
import pathlib

got = []
for name in ("\uff50arser", "_\ufb02avour", "_\uff3fdict_\uff3f"):
    try:
        made = dataclasses.make_dataclass("M", [(name, object, None)], init=False)
        print(WON, made, name)
    except AttributeError as e:
        print(e)
