# class: resource
# layer: resource
# must: be ended by its own limit
# ends: timeout cpu_limit memory_limit
# limits: wall_s=0.6 cpu_s=1
import asyncio


async def f():
    asyncio.create_task(f())
    await asyncio.sleep(0)


await asyncio.gather(*(f() for _ in range(100)))
while True:
    await asyncio.sleep(0)
