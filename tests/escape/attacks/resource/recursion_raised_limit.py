# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception crash memory_limit timeout cpu_limit
# limits: wall_s=2 cpu_s=2
import sys
sys.setrecursionlimit(10**9)
def f(n):
    return f(n + 1)
f(0)
