# class: classes
# layer: language
# must: be refused
setattr(bool, "upper", WON)
print(True.upper)
