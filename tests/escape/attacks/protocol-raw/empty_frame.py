# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
write(struct.pack(">I", 0))
wait()
