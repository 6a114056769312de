# class: mutation
# layer: language
# must: leave the classes of nodes as they are
import ast
ast.fix_missing_locations(ast.Name)
print(getattr(ast.Name, "lineno", None) == 1 and WON)
