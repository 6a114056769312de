# class: classes
# layer: language
# must: not make a class unchecked
import types
class G(types.GenericAlias):
    pass
b = G(len, ()).__self__
print(b, b.open, b.type)
print(b.eval('[c for c in ().__class__.__base__.__subclasses__()][-3:]', {}), b.exec, b.compile)
print(WON)
