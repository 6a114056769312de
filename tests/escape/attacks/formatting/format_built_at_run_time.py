# class: formatting
# layer: language
# must: never reach a frame
text = "{0.gi_" + "frame.f_globals}"
print(WON, text.format(i for i in [1]))
