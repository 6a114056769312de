# class: attributes
# layer: language
# must: be refused
import operator
print(WON, operator.methodcaller("__subclasses__")(object))
