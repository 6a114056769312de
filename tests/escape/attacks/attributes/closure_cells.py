# class: attributes
# layer: language
# must: be refused
def outer():
    x = 1
    return lambda: x
print(WON, outer().__closure__[0].cell_contents)
