# class: formatting
# layer: language
# must: never reach a frame
print(WON, "{0.gi_frame}".format(i for i in [1]))
