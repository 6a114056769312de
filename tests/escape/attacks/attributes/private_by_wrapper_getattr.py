# class: attributes
# layer: language
# must:  give nothing private of other objects
import asyncio
import tempfile


class Me:
    pass


async def main():
    me = Me()
    me.file = asyncio.get_running_loop()
    kind = type(tempfile.NamedTemporaryFile())
    print(WON, kind.__getattr__(me, "_selector"))


asyncio.run(main())
