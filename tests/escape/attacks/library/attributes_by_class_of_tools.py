# class: library
# layer: language
# must:  read nothing of an object by the class of the tools' namespace
import asyncio

N = type(tools)


async def main():
    loop = asyncio.get_running_loop()
    N.__init__(loop, "x")
    print(WON, N.__getitem__(loop, "_selector"))


asyncio.run(main())
