# class: attributes
# layer: language
# must: give no metaclass and no accessor through fields of what is no node
import ast
class K: _fields = ("__class__", "__subclasses__", "__setattr__", "__mro__")
for n, v in ast.iter_fields(K): print(WON, n, v)
