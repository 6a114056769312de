# class: attributes
# layer: language
# must:  be refused
from xml.dom import minidom


class Me:
    pass


me = Me()
me._options = minidom.Node.toxml
kind = type(minidom.getDOMImplementation().createDOMBuilder(1, None))
print(WON, kind.getFeature(me, "__globals__"))
