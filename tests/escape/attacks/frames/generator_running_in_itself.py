# class: frames
# layer: language
# must: never reach a frame
def g():
    yield me.gi_frame.f_globals
me = g()
print(WON, next(me))
