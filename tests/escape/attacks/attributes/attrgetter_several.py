# class: attributes
# layer: language
# must: be refused
import operator
print(WON, operator.attrgetter("real", "__class__.__base__")(1))
