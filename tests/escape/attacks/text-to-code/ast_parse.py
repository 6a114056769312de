# class: text-to-code
# layer: language
# must: turn no text into code
import ast
print(WON, compile(ast.parse("1"), "x", "exec"))
