# class: formatting
# layer: language
# must:  look at every field of a format
import json


class Own:
    @classmethod
    def raw(cls, text, name):
        return super().__getattribute__(text, name)


for text in ("{0.__globals__}", "{0.__code__}"):
    for name in ("format", "format_map"):
        try:
            read = Own.raw(text, name)
            print(WON, read(json.dumps) if name == "format" else read({"0": json.dumps}))
        except Exception as e:
            print(e)
