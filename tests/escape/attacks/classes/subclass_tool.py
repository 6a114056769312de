# class: classes
# layer: language
# must: be refused
class T(type(tools.echo)):
    pass
print(WON, T)
