# class: formatting
# layer: language
# must: give nothing of the library's namespace
# ends: exception
import logging


class Style(logging.StrFormatStyle):
    asked = 0

    def get(self):
        Style.asked += 1
        return "{msg}" if Style.asked % 2 else WON + "{x.__globals__}"

    def put(self, v):
        pass

    _fmt = property(get, put)


style = Style("{msg}")
for _ in range(4):
    print(style._format(logging.makeLogRecord({"msg": "m", "x": logging.getLogger})))
