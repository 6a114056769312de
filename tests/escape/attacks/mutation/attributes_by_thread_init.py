# class: mutation
# layer: language
# must:  write to no object by a constructor of the guest's
import concurrent.futures
import threading
import timeit


def target():
    pass


def made():
    import dataclasses

    @dataclasses.dataclass
    class D:
        a: int = 0

    return dataclasses.fields(D)[0]


for kind, arguments in (
    (threading.Thread, ()),
    (concurrent.futures.ThreadPoolExecutor, ()),
    (timeit.Timer, (print,)),
):
    for subject in (getattr, print, tools, tools.echo, kind.__init__):
        try:
            kind.__init__(subject, *arguments)
        except (TypeError, AttributeError):
            continue
        print(WON, kind)
