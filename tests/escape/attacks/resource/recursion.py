# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception
def f():
    return f()


f()
