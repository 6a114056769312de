# class: mutation
# layer: language
# must: write to nothing of the library's
import json
import typing

if hasattr(typing, "override"):
    typing.override(json.dumps)
    if getattr(json.dumps, "__override__", False):
        print(WON)
