# class: mutation
# layer: language
# must:  call no method with a foreign self
import json
import logging


class Record:
    created = json.dumps


class A:
    default_time_format = default_msec_format = ""

    def converter(self):
        self.planted = 5


try:
    logging.Formatter.formatTime(A, Record)
except (AttributeError, TypeError) as e:
    print(e)
if hasattr(json.dumps, "planted"):
    print(WON)
