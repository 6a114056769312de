# class: attributes
# layer: language
# must: be refused
import operator
print(WON, operator.attrgetter("upper.__self__.__class__.__mro__")("x"))
