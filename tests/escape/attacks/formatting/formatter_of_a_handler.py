# class: formatting
# layer: language
# must: follow no attribute that is not open
import json
import logging

h = logging.Handler()
h.setFormatter("{0.__globals__[__builtins__][eval]} {0.__code__} {0.__code__.co_consts}")
print(h.format(json.dumps)[:200])
print(logging.BufferingFormatter("{0.__globals__[__spec__]}").format([json.dumps]))


class F(logging.Formatter):
    def __init__(self):
        self._style = "{0.__closure__} {0.__code__}"


print(F().formatMessage(json.dumps))
h.setFormatter("{0.__globals__[NAMES].foreign.__class__.__mro__} {0.__kwdefaults__} {0.__globals__[NAMES]}")
print(h.format(getattr))
print(WON)
