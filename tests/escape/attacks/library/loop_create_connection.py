# class: library
# layer: language
# must: give nothing of the host
import asyncio

loop = asyncio.get_running_loop() if False else None


async def main():
    l = asyncio.get_running_loop()
    await l.create_connection(asyncio.Event, "127.0.0.1", 80)
    print(WON)


await main()
