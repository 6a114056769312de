# class: mutation
# layer: language
# must: be refused
del tools.echo
print(WON)
