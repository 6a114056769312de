# class: library
# layer: language
# must:  give nothing private of a tool
import copy

memo = {}
copy.deepcopy([tools, tools.echo], memo)
for value in memo.values():
    if type(value).__name__ not in ("list", "Tool", "Namespace"):
        print(WON, value)
