# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
write(frame(b"\x81\xa1t\xdd\xff\xff\xff\xff"))
wait()
