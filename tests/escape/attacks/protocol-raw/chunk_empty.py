# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="chunk", of="call", size=2, data=b"")
wait()
