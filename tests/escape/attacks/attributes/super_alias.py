# class: attributes
# layer: language
# must: be refused
up = super
class A:
    def f(self):
        return up(A, self)
print(WON, A().f())
