# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="chunk", of="grant", size=10, data=b"x")
wait()
