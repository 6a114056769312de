# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="call", id="1", name="tools.echo", line=1, arguments={"v": 1})
wait()
