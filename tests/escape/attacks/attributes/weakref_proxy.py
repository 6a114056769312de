# class: attributes
# layer: language
# must: be refused
import weakref
def f():
    pass
print(WON, getattr(weakref.proxy(f), "__globals__"))
