# class: attributes
# layer: language
# must: be refused
class A:
    def peek(self, name):
        return super().__getattribute__(name)
print(WON, A().peek("__class__"))
