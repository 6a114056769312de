# class: formatting
# layer: language
# must: be refused
import logging
record = logging.makeLogRecord({"g": (i for i in [1])})
print(WON, logging.Formatter("{g.gi_frame}", style="{", validate=False).format(record))
