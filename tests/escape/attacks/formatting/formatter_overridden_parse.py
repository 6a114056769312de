# class: formatting
# layer: language
# must: be refused
import string
class F(string.Formatter):
    def parse(self, text):
        yield "", "0.gi_frame", "", None
print(WON, F().format("x", (i for i in [1])))
