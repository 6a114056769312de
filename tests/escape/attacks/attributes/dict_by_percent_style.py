# class: attributes
# layer: language
# must:  give no attributes of other objects
import codecs
import logging


class Text:
    def __mod__(self, values):
        print(WON, values["__getattr__"])
        return ""


class Style(logging.PercentStyle):
    pass


style = Style("%(message)s")
style._fmt = Text()
style.format(codecs.StreamReader)
