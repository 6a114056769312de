# class: protocol-raw
# layer: raw
# must: give no authority by arguments
# ends: ok
send(t="call", id=1, name="tools.echo", line=None, arguments={"__class__": 1, "function": 2, "": 3})
print(receive()["t"])
