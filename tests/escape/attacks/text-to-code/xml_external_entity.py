# class: text-to-code
# layer: language
# must: turn no text into code
import xml.etree.ElementTree as E
x = E.fromstring("<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>")
print(WON if "root:" in (x.text or "") else "inert")
