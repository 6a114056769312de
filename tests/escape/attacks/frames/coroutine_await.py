# class: frames
# layer: language
# must: never reach a frame
async def inner():
    pass
async def outer():
    await inner()
c = outer()
print(WON, c.cr_await, c.cr_origin)
