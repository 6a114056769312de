# class: protocol-raw
# layer: raw
# must: hold only this run's answers
# ends: ok
send(t="call", id=1, name="tools.echo", line=None, arguments={"v": "mine"})
send(t="call", id=2, name="tools.echo", line=None, arguments={"v": "other"})
found = [receive(), receive()]
print(sorted(one["value"] for one in found))
