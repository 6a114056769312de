# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception
def g():
    while True:
        try:
            yield
        except GeneratorExit:
            pass


x = g()
next(x)
x.close()
