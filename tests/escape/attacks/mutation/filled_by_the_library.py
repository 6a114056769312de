# class: mutation
# layer: language
# must:  have the library fill nothing of others
import contextlib
import io
import json
import logging
import logging.handlers
import tarfile
import zipfile


class Log(logging.Logger):
    def __new__(cls, name):
        return json.dumps


class Owner:
    loggerClass = lambda self, name: json.dumps
    loggerDict = {}

    def _fixupParents(self, _):
        pass


class Queued(logging.handlers.QueueHandler):
    def format(self, record):
        return "mine"


class Archive(zipfile.ZipFile):
    pass


class Stack(contextlib.ExitStack):
    made = 0

    def __new__(cls):
        Stack.made += 1
        return json.dumps if Stack.made == 2 else super().__new__(cls)


class Copied:
    offset = 1

    def __copy__(self):
        return json.dumps

    __deepcopy__ = lambda self, _: json.dumps


class Entry(tarfile.TarInfo):
    def __copy__(self):
        return json.dumps

    __deepcopy__ = lambda self, _: json.dumps


class Reduced(tarfile.TarInfo):
    def __reduce_ex__(self, _):
        return (lambda: json.dumps), ()


class Record(logging.LogRecord):
    def __copy__(self):
        return json.dumps


class Made(tarfile.TarInfo):
    def __new__(cls, *_):
        return json.dumps


class Inherited:
    def __new__(cls, *_):
        return json.dumps


class Info(Inherited, zipfile.ZipInfo):
    pass


def logger():
    logging.setLoggerClass(Log)
    logging.getLogger("x")


open("f.txt", "w").write("x")
ways = [
    logger,
    lambda: type(logging.root.manager).getLogger(Owner(), "y"),
    lambda: Queued(None).prepare(json.dumps),
    lambda: Archive(io.BytesIO(), "w")._open_to_write(json.dumps, False),
    lambda: Stack().pop_all(),
    lambda: tarfile.TarInfo.replace(Copied(), name="mine", mtime=5),
    lambda: Entry("x").replace(name="mine", mtime=5),
    lambda: Reduced("x").replace(name="mine", mtime=5),
    lambda: Queued(None).prepare(Record("a", 1, "b", 1, "c", (), None)),
    lambda: Made.frombuf(tarfile.TarInfo("x").tobuf(), "utf-8", "strict"),
    lambda: Info.from_file("f.txt"),
    lambda: type("T", (Inherited, zipfile.ZipInfo), {}).from_file("f.txt"),
]
for way in ways:
    try:
        way()
    except (AttributeError, TypeError) as e:
        print(e)
for name in ("manager", "message", "CRC", "_exit_callbacks", "mtime", "external_attr", "name", "msg"):
    if name in dir(json.dumps):
        print(WON, name)
