# class: library
# layer: language
# must: give nothing of the host
import configparser

c = configparser.ConfigParser(allow_no_value=True, delimiters="\0")
print(WON if c.read("/etc/passwd") else "inert")
raise ValueError("end")
