# class: mutation
# layer: language
# must:  make nothing of the library's anew
import calendar
import json
import typing
import uuid
import warnings


class Kept:
    _entered = True
    _filters = _showwarning = _showwarnmsg_impl = "x"
    _module = uuid


ways = [
    lambda: typing.NewType.__init__(json.dumps, "renamed", int),
    lambda: uuid.NAMESPACE_DNS.__init__(int=5),
    lambda: getattr(uuid.NAMESPACE_DNS, "__in" + "it__")(int=5),
    lambda: uuid.UUID.__init__(uuid.NAMESPACE_DNS, int=5),
    lambda: type(calendar.day_name).__init__(calendar.day_name, "%B"),
    lambda: warnings.catch_warnings.__exit__(Kept()),
]
for way in ways:
    try:
        way()
    except (AttributeError, TypeError) as e:
        print(e)
if (
    json.dumps.__name__ != "dumps"
    or uuid.NAMESPACE_DNS.int == 5
    or calendar.day_name[0] != "Monday"
    or hasattr(uuid, "filters")
):
    print(WON)
