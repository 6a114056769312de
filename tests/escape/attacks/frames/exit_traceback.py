# class: frames
# layer: language
# must: never reach a frame
class C:
    def __enter__(self):
        return self
    def __exit__(self, kind, error, trace):
        print(WON, getattr(trace, "tb" + "_next"))
with C():
    1 / 0
