# class: frames
# layer: language
# must: never reach a frame
async def f():
    return 1
w = f().__await__()
print(WON, w.gi_frame)
