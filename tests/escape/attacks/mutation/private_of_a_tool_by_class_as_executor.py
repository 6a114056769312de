# class: mutation
# layer: language
# must: give nothing private of a tool
# ends: exception
import asyncio


class A:
    def submit(self):
        print(WON, self._caller)


async def main():
    asyncio.get_running_loop().run_in_executor(A, tools.echo)


asyncio.run(main())
