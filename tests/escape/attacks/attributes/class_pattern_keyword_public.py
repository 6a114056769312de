# class: attributes
# layer: language
# must: never reach a frame
match (i for i in [1]):
    case object(gi_frame=found):
        print(WON, found)
