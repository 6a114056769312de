# class: library
# layer: language
# must: give nothing of the host
import asyncio


async def main():
    l = asyncio.get_running_loop()
    l.set_exception_handler(lambda loop, context: print(context["exception"].__traceback__, WON))
    l.call_soon(lambda: 1 / 0)
    await asyncio.sleep(0.01)


await main()
print("end")
