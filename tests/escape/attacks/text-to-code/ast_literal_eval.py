# class: text-to-code
# layer: language
# must: turn no text into code
import ast
print(WON, ast.literal_eval("__import__('os')"))
