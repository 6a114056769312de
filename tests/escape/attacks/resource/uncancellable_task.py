# class: resource
# layer: resource
# must: be ended by its own limit
# ends: timeout
# limits: wall_s=0.6 cpu_s=1
import asyncio
async def f():
    while True:
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            pass
t = asyncio.create_task(f())
await asyncio.sleep(0)
t.cancel()
await t
