# class: names
# layer: language
# must: bind or read no name of the policy
try:
    1 / 0
except ZeroDivisionError as __builtins__:
    print(WON)
