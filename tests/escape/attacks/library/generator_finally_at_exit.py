# class: library
# layer: language
# must: give nothing of the host
def g():
    try:
        yield 1
    finally:
        while True:
            pass


x = g()
next(x)
print("inert")
