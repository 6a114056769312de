# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
write(frame(b"\x81\xa1a" * 100000 + b"\xc0"))
wait()
