# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception crash
import sys

sys.setrecursionlimit(20000)


class A:
    def __add__(self, other):
        return self + other


A() + 1
