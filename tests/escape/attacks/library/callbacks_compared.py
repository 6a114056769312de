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
