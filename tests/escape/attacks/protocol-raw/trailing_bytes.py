# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
write(frame(pack({"t": "notice", "text": "x"}) + b"\0"))
wait()
