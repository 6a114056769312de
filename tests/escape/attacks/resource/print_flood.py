# class: resource
# layer: resource
# must: be ended by its own limit
# ends: output_limit
while True:
    print("x" * 10000)
