# class: classes
# layer: language
# must: be refused
print(WON, __build_class__(lambda: None, "X"))
