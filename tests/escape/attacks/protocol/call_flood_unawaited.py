# class: protocol
# layer: protocol
# must: be a clear error or have no effect
# ends: call_limit ok
import asyncio

await asyncio.gather(*(tools.echo(v=i) for i in range(3000)), return_exceptions=True)
