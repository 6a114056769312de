# class: names
# layer: language
# must: bind or read no name of the policy
import sys

print(WON, getattr(sys, "modules")["__main__"])
