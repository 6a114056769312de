# class: protocol
# layer: protocol
# must: be a clear error or have no effect
# ends: ok
class K(str):
    pass


d = {}
for i in range(1000):
    d["k%d" % i] = d.copy() if i < 10 else i
print(len(str(tools.echo(v=d))) > 0)
