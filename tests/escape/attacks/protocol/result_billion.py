# class: protocol
# layer: protocol
# must: be a clear error or have no effect
# limits: wall_s=4 cpu_s=2
# ends: limit memory_limit invalid_output timeout cpu_limit
x = ["lol"] * 10
for _ in range(9):
    x = [x] * 10
return x
