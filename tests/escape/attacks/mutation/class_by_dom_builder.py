# class: mutation
# layer: language
# must:  be refused
from xml.dom import minidom


class A:
    pass


class Me:
    _settings = {("x", 1): [("__class__", type(tools))]}

    def supportsFeature(self, name):
        return True


kind = type(minidom.getDOMImplementation().createDOMBuilder(1, None))
me = Me()
me._options = A()
kind.setFeature(me, "x", 1)
print(WON)
