# class: frames
# layer: language
# must: never reach a frame
import asyncio
async def main():
    for task in asyncio.all_tasks():
        print(WON, getattr(task.get_coro(), "cr_code"))
await main()
