# class: library
# layer: language
# must:  run nothing of the loop's with another's self
import asyncio

await asyncio.sleep(0)
loop = asyncio.get_running_loop()


class L:
    _debug = False
    _stopping = False
    _asyncgens = set()

    def _check_closed(self):
        pass

    _check_running = _check_closed

    def _set_coroutine_origin_tracking(self, _):
        pass

    _asyncgen_firstiter_hook = _asyncgen_finalizer_hook = _set_coroutine_origin_tracking

    def _run_once(self):
        print(WON, asyncio.get_running_loop())
        self._stopping = True


type(loop).run_forever(L())
