# class: attributes
# layer: language
# must:  give nothing private of other objects
import asyncio
import codecs


class Me:
    pass


async def main():
    for kind in (codecs.StreamReader, codecs.StreamWriter):
        me = Me()
        me.stream = asyncio.get_running_loop()
        print(WON, kind.__getattr__(me, "_selector"))


asyncio.run(main())
