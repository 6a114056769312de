# class: library
# layer: language
# must: give nothing of the host
import asyncio


async def main():
    l = asyncio.get_running_loop()
    print(WON, await l.run_in_executor(None, open, "/etc/passwd"))


await main()
