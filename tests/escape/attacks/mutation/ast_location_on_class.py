# class: mutation
# layer: language
# must: leave the classes of nodes as they are
import ast
class O: _attributes = ("lineno",); lineno = 77
ast.copy_location(ast.Name, O())
print(ast.Name.lineno, WON)
