# class: attributes
# layer: language
# must: be refused
print(WON, super(bool, True).__init__.__self__)
