# class: formatting
# layer: language
# must: be refused
import string
print(WON, string.Formatter().get_field("0.gi_frame", [(i for i in [1])], {}))
