# class: mutation
# layer: language
# must:  give the loop nothing else to wait by
import asyncio
import json


class Selector:
    def select(self, timeout):
        print(WON)
        raise SystemExit


async def main():
    V = type(json)
    try:
        V.__init__(asyncio.get_running_loop(), {"_selector": Selector()}, "x", {})
    except TypeError as e:
        print(e)
    await asyncio.sleep(0)


asyncio.run(main())
