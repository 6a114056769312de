# class: classes
# layer: language
# must: be refused
class A:
    def f(self):
        return __class__.__base__.__subclasses__()
print(WON, A().f())
