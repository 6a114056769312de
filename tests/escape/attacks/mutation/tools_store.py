# class: mutation
# layer: language
# must: be refused
tools.echo = lambda v: WON
print(tools.echo(v=1))
