# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
body = pack({"t": "end", "has_value": True, "value": 0})[:-1] + b"\x91" * 501 + b"\xc0"
write(frame(body))
wait()
