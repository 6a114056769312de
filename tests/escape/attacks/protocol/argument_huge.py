# class: protocol
# layer: protocol
# must: be a clear error or have no effect
# ends: exception
tools.echo(v="x" * (17 << 20))
