# class: attributes
# layer: language
# must: be refused
print(WON, (lambda: 0).__gl𝗼bals__)
