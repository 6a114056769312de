# class: library
# layer: language
# must: give nothing of the host
import asyncio


async def main():
    l = asyncio.get_running_loop()
    print(WON, await l.subprocess_exec(asyncio.Event, "sh"))


await main()
