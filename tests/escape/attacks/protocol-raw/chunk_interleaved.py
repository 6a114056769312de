# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send(t="chunk", of="call", size=10, data=b"x")
send(t="out", stream="stdout", text=WON)
wait()
