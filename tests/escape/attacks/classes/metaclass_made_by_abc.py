# class: classes
# layer: language
# must: be refused
import abc
M = abc.ABCMeta("M", (abc.ABCMeta,), {"__call__": lambda cls, *a: 1})
print(WON, M)
