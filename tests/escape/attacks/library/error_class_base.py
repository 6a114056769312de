# class: library
# layer: language
# must: give nothing of the host
print(WON, ToolCallError.__base__)
