# class: mutation
# layer: language
# must:  call no method with a foreign self
import asyncio
import threading

await asyncio.sleep(0)
loop = asyncio.get_running_loop()


class A:
    _args = (loop,)
    _kwargs = {}

    def _target(self):
        self.call_at = "mine"


threading.Thread.run(A)
print(WON, loop.call_at)
