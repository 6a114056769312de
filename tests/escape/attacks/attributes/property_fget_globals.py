# class: attributes
# layer: language
# must: be refused
import fractions
print(WON, fractions.Fraction.numerator.fget.__globals__)
