# class: frames
# layer: language
# must: never reach a frame
def g():
    yield 1
print(WON, g().gi_frame.f_back)
