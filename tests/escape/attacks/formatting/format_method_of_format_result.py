# class: formatting
# layer: language
# must: be refused
print(WON, "{0.format}".format("{0.gi_frame}"))
