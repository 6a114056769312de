# class: mutation
# layer: language
# must:  run nothing after the program's end
import logging.handlers
import sys


class Late(list):
    def end(self):
        print(WON)


class H(logging.handlers.BufferingHandler):
    def createLock(self):
        pass


for stream in (sys.stdout, sys.stderr):
    try:
        logging.handlers.BufferingHandler.__init__(stream, 1)
    except AttributeError as e:
        print(e)
    try:
        H.__init__(stream, 1)
    except AttributeError as e:
        print(e)
    if type(stream.buffer) is list:
        print(WON)
