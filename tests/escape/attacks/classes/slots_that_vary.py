# class: classes
# layer: language
# must: make slots of the names that were looked at
asked = []
class Names:
    def __iter__(self):
        asked.append(1)
        return iter(("a",) if len(asked) < 2 else ("__globals__",))
type("K", (), {"__slots__": Names()})
if len(asked) > 1: print(WON)
