# class: formatting
# layer: language
# must: be refused
class M(dict):
    def __missing__(self, key):
        return i_am
i_am = (i for i in [1])
print(WON, "{anything.gi_code}".format_map(M()))
