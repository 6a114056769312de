# class: names
# layer: language
# must: bind or read no name of the policy
import json as __builtins__

print(WON)
