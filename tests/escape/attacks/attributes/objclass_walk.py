# class: attributes
# layer: language
# must: be refused
print(WON, str.upper.__objclass__.__base__)
