# class: mutation
# layer: language
# must:  write to nothing of the library
import json
import sys
import typing

typing.final(json.dumps)
if getattr(json.dumps, "__final__", False):
    print(WON, "marked")
try:
    sys.implementation.name = "x"
except Exception as e:
    print(e)
import platform

if platform.python_implementation() == "x":
    print(WON, "renamed")
