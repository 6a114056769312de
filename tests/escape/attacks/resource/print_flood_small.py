# class: resource
# layer: resource
# must: be ended by its own limit
# ends: output_limit timeout cpu_limit
# limits: wall_s=3 cpu_s=2 output_bytes=20000
while True:
    print("x")
