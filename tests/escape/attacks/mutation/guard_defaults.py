# class: mutation
# layer: language
# must: be refused
import argparse

argparse.Namespace.__init__(getattr, **{"__defaults__": (1,)})
print(WON, getattr(1, "nothing"))
