# class: classes
# layer: language
# must: be refused
class A:
    def __class_getitem__(cls, item):
        return cls.__mro__[-1].__subclasses__()
print(WON, A[0])
