# class: protocol
# layer: protocol
# must: be a clear error or have no effect
# ends: call_limit
for _ in range(5000):
    tools.echo(v=1)
