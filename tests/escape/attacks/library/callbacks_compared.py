# class: library
# layer: language
# must:  compare no callback of another's with an object
import asyncio
import weakref

await asyncio.sleep(0)


class Grab:
    def __eq__(self, callback):
        print(WON, callback)
        return True

    def __hash__(self):
        return 1

    def __call__(self, *_):
        pass


grab = Grab()
task = asyncio.current_task()
for way in (
    lambda: task.remove_done_callback(grab),
    lambda: getattr(task, "remove_done_" + "callback")(weakref.proxy(grab)),
    lambda: asyncio.Task.remove_done_callback(task, grab),
    lambda: asyncio.Future.remove_done_callback(task, grab),
):
    try:
        way()
    except (AttributeError, TypeError) as e:
        print(e)


class Later:
    def __call__(self, *_):
        pass


class Early:
    def __call__(self, *_):
        pass

    def __eq__(self, other):
        Later.__eq__ = lambda self, callback: print(WON, callback) or False
        return False

    def __hash__(self):
        return 1


future = asyncio.get_running_loop().create_future()
future.add_done_callback(Early())
gathered = asyncio.gather(future)
try:
    future.remove_done_callback(Later())
except (AttributeError, TypeError) as e:
    print(e)
future.set_result(1)
await gathered
