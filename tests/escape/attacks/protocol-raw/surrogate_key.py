# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
send_ = b"\x82\xa1t\xa3end\xa3\xed\xa0\x80\x01"
write(frame(send_))
wait()
