# class: attributes
# layer: language
# must: be refused
class A:
    def peek(self):
        return super().__thisclass__
print(WON, A().peek())
