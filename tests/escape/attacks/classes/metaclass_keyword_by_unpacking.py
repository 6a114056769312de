# class: classes
# layer: language
# must: be refused
class A(**{"metaclass": lambda name, bases, body: print(WON, body)}):
    pass
