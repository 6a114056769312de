# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
body = pack({"t": "out", "stream": "stdout", "text": "x"})
write(struct.pack("<I", len(body)) + body)
wait()
