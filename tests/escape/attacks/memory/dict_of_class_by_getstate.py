# class: memory
# layer: language
# must:  write to no dict that a class is made of
class Own:
    x = "before"


class Super(Own):
    @classmethod
    def go(cls):
        return super().__getstate__(cls)


for state in (lambda: Own.__getstate__(Own), Super.go, lambda: object.__getstate__(Own)):
    try:
        held = state()
        held["x"] = "after"
        print(WON, held)
    except Exception as e:
        print(e)
