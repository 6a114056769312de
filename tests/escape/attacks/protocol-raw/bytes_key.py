# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
write(frame(b"\x82\xc4\x01t\xa6notice\xa4text\xa1b"))
wait()
