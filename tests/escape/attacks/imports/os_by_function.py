# class: imports
# layer: language
# must: give no process
os = __import__("os")
print(WON, os.system("true"))
