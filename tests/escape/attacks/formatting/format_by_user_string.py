# class: formatting
# layer: language
# must: be refused
import collections
print(WON, collections.UserString("{0.gi_frame}").format(i for i in [1]))
