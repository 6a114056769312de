# class: resource
# layer: resource
# must: be ended by its own limit
# ends: output_limit
while True:
    try:
        print("x" * 10000)
    except BaseException:
        pass
