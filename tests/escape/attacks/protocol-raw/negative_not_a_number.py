# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
body = pack({"t": "end", "has_value": True, "value": 0})[:-1] + b"\xcb\xff\xf8\0\0\0\0\0\1"
write(frame(body))
wait()
