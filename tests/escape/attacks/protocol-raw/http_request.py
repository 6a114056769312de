# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
wait()
