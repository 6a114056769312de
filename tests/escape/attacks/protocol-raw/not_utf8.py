# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
write(frame(b"\x82\xa1t\xa6notice\xa4text\xa1\xff"))
wait()
