# class: protocol-raw
# layer: raw
# must: give no authority by arguments
# ends: ok
send(
    t="call",
    id=1,
    name="tools.echo",
    line=None,
    arguments={"v": 1, "parent": "root", "token": "x", "self": 1, "call": 1},
)
print(receive()["t"])
