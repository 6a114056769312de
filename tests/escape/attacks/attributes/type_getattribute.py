# class: attributes
# layer: language
# must: be refused
class A:
    pass
print(WON, type.__getattribute__(A, "__bases__"))
