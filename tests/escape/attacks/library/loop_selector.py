# class: library
# layer: language
# must: give nothing of the host
import asyncio


async def main():
    l = asyncio.get_running_loop()
    print(WON, l._selector, l._ready)


await main()
