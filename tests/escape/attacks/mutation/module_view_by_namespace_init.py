# class: mutation
# layer: language
# must: be refused
import argparse, math

argparse.Namespace.__init__(math, pi=WON)
print(math.pi)
