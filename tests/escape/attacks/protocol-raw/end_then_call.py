# class: protocol-raw
# layer: raw
# must: start no call after the end
# ends: ok
send(t="end", has_value=False, value=None)
send(t="call", id=1, name="witness", line=None, arguments={})
wait()
