# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception memory_limit timeout cpu_limit
# limits: wall_s=0.6 cpu_s=1
import xml.etree.ElementTree as E
text = "<!DOCTYPE a [<!ENTITY e0 'lol'>" + "".join("<!ENTITY e%d '%s'>" % (i, ("&e%d;" % (i - 1)) * 10) for i in range(1, 12)) + "]><a>&e11;</a>"
E.fromstring(text)
