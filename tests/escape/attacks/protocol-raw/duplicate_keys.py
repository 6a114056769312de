# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
write(frame(b"\x83\xa1t\xa6notice\xa4text\xa1a\xa4text\xa1b"))
wait()
