# class: frames
# layer: language
# must: never reach a frame
import asyncio
async def main():
    print(WON, asyncio.current_task().get_coro().cr_frame)
await main()
