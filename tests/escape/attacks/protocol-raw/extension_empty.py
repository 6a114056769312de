# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
body = pack({"t": "end", "has_value": True, "value": 0})[:-1] + b"\xc7\x00\x05"
write(frame(body))
wait()
