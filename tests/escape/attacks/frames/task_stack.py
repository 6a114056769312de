# class: frames
# layer: language
# must: hand out no frame and no path of the host
import asyncio
async def main():
    found = asyncio.current_task().get_stack()
    print(WON, found)
await main()
