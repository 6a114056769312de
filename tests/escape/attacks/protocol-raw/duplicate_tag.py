# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
write(frame(b"\x83\xa1t\xa6notice\xa1t\xa3end\xa4text\xa1b"))
wait()
