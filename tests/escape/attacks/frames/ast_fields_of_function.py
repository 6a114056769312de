# class: frames
# layer: language
# must: give no globals and no code through fields of a function
import ast
def f(): pass
f._fields = ("__globals__", "__code__", "__builtins__")
for n, v in ast.iter_fields(f): print(WON, n, type(v))
