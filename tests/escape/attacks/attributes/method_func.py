# class: attributes
# layer: language
# must: be refused
class A:
    def f(self):
        pass
print(WON, A().f.__func__.__globals__)
