# class: classes
# layer: language
# must: be refused
def __build_class__(body, name, *bases):
    print(WON)
class A:
    pass
