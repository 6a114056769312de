# class: resource
# layer: resource
# must: be ended by its own limit
# ends: timeout cpu_limit
# limits: wall_s=0.6 cpu_s=1
import asyncio

loop = asyncio.get_running_loop() if False else None


async def main():
    l = asyncio.get_running_loop()

    def again():
        l.call_soon(again)

    again()
    await asyncio.Event().wait()


await main()
