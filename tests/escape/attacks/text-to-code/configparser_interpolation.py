# class: text-to-code
# layer: language
# must: turn no text into code
import configparser
c = configparser.ConfigParser()
c.read_string("[a]\nx = %(y)s\ny = __import__('os')")
print("inert", c["a"]["x"])
