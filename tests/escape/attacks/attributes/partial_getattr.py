# class: attributes
# layer: language
# must: be refused
import functools
look = functools.partial(getattr, (lambda: 0))
print(WON, look("__globals__"))
