# class: frames
# layer: language
# must: never reach a frame
async def g():
    yield 1
print(WON, getattr(g(), "ag_" + "frame"))
