# class: text-to-code
# layer: language
# must: turn no text into code
import ast, types
tree = ast.parse("print((lambda: 0).__globals__)")
for name in ("exec", "eval", "compile"):
    print(WON, getattr(ast, name)(tree))
