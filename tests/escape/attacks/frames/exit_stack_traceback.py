# class: frames
# layer: language
# must: never reach a frame
import contextlib
with contextlib.ExitStack() as stack:
    stack.push(lambda kind, error, trace: print(WON, trace.tb_lasti, trace.tb_frame))
    1 / 0
