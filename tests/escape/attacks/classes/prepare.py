# class: classes
# layer: language
# must: be refused
class A:
    @classmethod
    def __prepare__(cls, name, bases):
        print(WON)
        return {}
print(WON)
