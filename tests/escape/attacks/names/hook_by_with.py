# class: names
# layer: language
# must: bind or read no name of the policy
import contextlib

with contextlib.nullcontext({}) as __builtins__:
    print(WON)
