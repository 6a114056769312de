# class: formatting
# layer: language
# must: be refused
g = (i for i in [1])
print(f"{WON} {g.gi_frame=}")
