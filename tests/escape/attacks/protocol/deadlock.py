# class: protocol
# layer: protocol
# must: be a clear error or have no effect
# ends: deadlock
import asyncio

await asyncio.Event().wait()
