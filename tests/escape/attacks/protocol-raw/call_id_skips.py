# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="call", id=2, name="tools.echo", line=None, arguments={})
wait()
