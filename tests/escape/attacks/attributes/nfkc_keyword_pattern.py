# class: attributes
# layer: language
# must: be refused
match (i for i in [1]):
    case object(gi_fr𝐚me=found):
        print(WON, found)
