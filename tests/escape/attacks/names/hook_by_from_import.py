# class: names
# layer: language
# must: bind or read no name of the policy
from json import dumps as __import__
import os.path

print(WON, __import__)
