# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
body = pack({"t": "chunk", "of": "call", "size": 1, "data": b"x"})
send(t="chunk", of="call", size=len(body), data=body)
wait()
