# class: attributes
# layer: language
# must: be refused
class A:
    pass
print(WON, object.__getattribute__(A(), "__class__").__base__)
