# class: formatting
# layer: language
# must: follow no attribute that is not open
import json
import logging

got = []


class Text(str):
    terminator = ""

    class stream:
        write = got.append

    def flush(self):
        pass


logging.StreamHandler.emit(Text("{0.__globals__}"), json.dumps)
if got:
    print(WON)
