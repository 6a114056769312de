# class: frames
# layer: language
# must: print no frame of the sandbox
import asyncio, io
async def main():
    out = io.StringIO()
    asyncio.current_task().print_stack(file=out)
    print(WON if "/" in out.getvalue() else "inert", out.getvalue())
await main()
