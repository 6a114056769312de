# class: attributes
# layer: language
# must: be refused
class Name(str):
    def __eq__(self, other):
        return False
    def __hash__(self):
        return 1
    def startswith(self, *a):
        return False
    def __str__(self):
        return "upper"
print(WON, getattr(lambda: 0, Name("__globals__")))
