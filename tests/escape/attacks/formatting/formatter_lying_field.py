# class: formatting
# layer: language
# must: be refused
import string
class Field(str):
    def __iter__(self):
        return iter("0.real")
    def __str__(self):
        return "0.real"
class F(string.Formatter):
    def parse(self, text):
        yield "", Field("0.gi_frame"), "", None
print(WON, F().format("x", (i for i in [1])))
