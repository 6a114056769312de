# class: mutation
# layer: language
# must:  let what a thread raises out in no other strand
import concurrent.futures
import threading


class T(threading.Thread):
    def _live(self):
        raise ValueError("from a thread")


class P(concurrent.futures.ThreadPoolExecutor):
    def _live(self):
        raise ValueError("from a worker")


def fail():
    raise ValueError("from an initializer")


def leave(future):
    raise SystemExit


def by_thread():
    T().start()


def by_worker():
    P(1).submit(print, 1).result()


def by_initializer():
    pool = concurrent.futures.ThreadPoolExecutor(1, initializer=fail)
    try:
        pool.submit(print, 1).result()
    except concurrent.futures.BrokenExecutor as e:
        print(e)


def by_callback():
    pool = concurrent.futures.ThreadPoolExecutor(1)
    go = threading.Event()
    future = pool.submit(go.wait)
    future.add_done_callback(leave)
    go.set()
    future.result()


me = threading.get_ident()
for road in (by_thread, by_worker, by_initializer, by_callback):
    try:
        road()
    except (ValueError, SystemExit) as e:
        print(WON, "came out here", e)
    if threading.get_ident() != me:
        print(WON, "somebody else")
