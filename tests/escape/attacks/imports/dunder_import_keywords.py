# class: imports
# layer: language
# must: give no process
os = __import__(name="os", globals={}, locals={}, fromlist=["system"], level=0)
print(WON, os.system("true"))
