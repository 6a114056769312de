# class: attributes
# layer: language
# must: be refused
try:
    (lambda: 0).nothing
except AttributeError as e:
    match e:
        case AttributeError(obj=found):
            print(WON, found)
