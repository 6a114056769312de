# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
body = pack({"t": "call", "id": 1, "name": "tools.echo", "line": None, "arguments": {"v": b"x"}})
send(t="chunk", of="call", size=len(body), data=body)
wait()
