# class: formatting
# layer: language
# must: be refused
class S(str):
    def __str__(self):
        return "harmless"
    def __contains__(self, item):
        return False
print(WON, str.format(S("{0.gi_frame}"), (i for i in [1])))
