# class: attributes
# layer: language
# must: be refused
match (lambda: 0):
    case object(__globals__=found):
        print(WON, found)
