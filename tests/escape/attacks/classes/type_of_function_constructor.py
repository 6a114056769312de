# class: classes
# layer: language
# must: not make a function without code
F = type(lambda: 0)
G = type((i for i in [1]))
for make in (F, G):
    try:
        print(WON, make(compile, {}))
    except TypeError as e:
        print("inert", e)
