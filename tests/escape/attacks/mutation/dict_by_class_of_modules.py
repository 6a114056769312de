# class: mutation
# layer: language
# must:  write to no object by the class of the module views
import json
import logging

V = type(json)
for target in (tools.echo, logging.root, getattr):
    try:
        V.__init__(target, {"_path": "x", "planted": 1}, "sys", {})
    except TypeError as e:
        print(e)
    try:
        print(WON, target.planted)
    except AttributeError as e:
        print(e)
