# class: mutation
# layer: language
# must: be refused
vars(tools)["echo"] = lambda v: WON
print(tools.echo(v=1))
