# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="chunk", of="out", size=10, data=b"x")
wait()
