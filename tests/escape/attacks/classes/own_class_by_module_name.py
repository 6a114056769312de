# class: classes
# layer: language
# must: not take a library class for the program's own
import argparse
argparse.Namespace.__init__(type(tools.echo), **{"__module__": "__main__"})
print(WON, tools.echo._caller)
