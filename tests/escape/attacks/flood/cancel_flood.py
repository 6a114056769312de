# class: flood
# layer: raw
# must: cost the host nothing that grows
# ends: violation violation
send(t="call", id=1, name="tools.echo", line=None, arguments={"v": 1})
write(frame(pack({"t": "cancel", "id": 1})) * 20000)
send(t="end", has_value=False, value=None)
wait()
