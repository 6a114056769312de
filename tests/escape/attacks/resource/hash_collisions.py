# class: resource
# layer: resource
# must: be ended by its own limit
# ends: timeout cpu_limit memory_limit
# limits: wall_s=0.6 cpu_s=1
class A:
    def __hash__(self):
        return 1


{A(): 1 for _ in range(10**6)}
