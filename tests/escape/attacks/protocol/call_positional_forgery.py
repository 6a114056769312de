# class: protocol
# layer: protocol
# must: be a clear error or have no effect
# ends: exception
print(tools.echo(1, 2, 3))
