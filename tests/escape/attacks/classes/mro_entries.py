# class: classes
# layer: language
# must: be refused
class Base:
    def __mro_entries__(self, bases):
        return (Base, WON and int)
class A(Base()):
    pass
print(WON, A)
