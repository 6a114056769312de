# class: classes
# layer: language
# must: be refused
def meta(name, bases, body):
    print(WON, body)
    return 1
class A(metaclass=meta):
    pass
