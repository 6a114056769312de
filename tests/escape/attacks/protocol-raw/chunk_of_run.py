# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="chunk", of="run", size=10, data=b"x")
wait()
