# class: attributes
# layer: language
# must: be refused
print(WON, print.__self__)
