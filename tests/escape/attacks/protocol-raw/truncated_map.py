# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
write(frame(b"\xdf\xff\xff\xff\xff"))
wait()
