# class: mutation
# layer: language
# must:  write to no object of the library or of the guest
from xml.dom import minidom


class Me:
    _settings = {("x", 1): [("__defaults__", (1, 2, 3)), ("planted", 1)]}

    def supportsFeature(self, name):
        return True


kind = type(minidom.getDOMImplementation().createDOMBuilder(1, None))
for target in (getattr, minidom.Node.toxml, kind, tools):
    me = Me()
    me._options = target
    try:
        kind.setFeature(me, "x", 1)
    except AttributeError as e:
        print(e)
        continue
    print(WON)
