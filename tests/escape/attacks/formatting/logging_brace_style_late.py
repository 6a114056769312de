# class: formatting
# layer: language
# must: be refused
import logging
record = logging.makeLogRecord({"g": (i for i in [1])})
f = logging.Formatter("{g}", style="{")
f._style._fmt = "{g.gi_frame}"
print(WON, f.format(record))
