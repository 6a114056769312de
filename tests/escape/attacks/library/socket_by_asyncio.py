# class: library
# layer: language
# must: give nothing of the host
import asyncio

print(WON, await asyncio.open_connection("127.0.0.1", 80))
