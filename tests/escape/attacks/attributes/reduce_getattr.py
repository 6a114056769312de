# class: attributes
# layer: language
# must: be refused
import functools
print(WON, functools.reduce(getattr, ["__class__", "__base__", "__subclasses__"], ()))
